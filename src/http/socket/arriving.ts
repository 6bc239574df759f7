import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import type { RequireFunds } from "../../gateway/require-funds.ts";
import type { Arrivals } from "../read/arrivals.ts";
import type { PayerShares, Share } from "../read/payer-shares.ts";

type Parts = {
  shares: PayerShares;
  arrivals: Pick<Arrivals, "watch" | "drop">;
  requireFunds: RequireFunds;
  /** The most that a key without money may send. */
  unfundedBytes: number;
};

type Line = {
  ws: WebSocket;
  socket: Socket;
  key: () => Parameters<RequireFunds>[0];
  /** There is no room for it, it is too slow, or nobody pays for it. */
  onRefused: (fault: unknown) => void;
};

/** A frame without its content has so many bytes at least, when a client sends it. */
const FRAME_BYTES = 6;

/**
 * Messages on their way in, under the bounds of bodies: each counts as a request of its key, its bytes are of what all bodies share,
 * it has to go on arriving, and a large one is read only if its key could pay.
 */
export class Arriving {
  readonly #parts: Parts;
  readonly #line: Line;
  #share: Share | null = null;
  #watched: ReturnType<Arrivals["watch"]> | null = null;
  /** Of the message that is not whole yet. */
  #partial = 0;
  /** Of whole messages that wait for their turn. */
  #waiting = 0;
  #permitted = false;

  constructor(parts: Parts, line: Line) {
    this.#parts = parts;
    this.#line = line;
    // Before the frames in it are read, so that whatever they lead to finds them counted.
    line.socket.prependListener("data", (chunk: Buffer) => this.#take(chunk.length));
  }

  /** Control frames are no part of a message. */
  control({ length }: Buffer): void {
    this.#partial = Math.max(0, this.#partial - length - FRAME_BYTES);
    this.#count();
  }

  /** A message is whole. Of what came with its last bytes, up to one chunk of the next is not counted. */
  whole({ length }: Buffer): void {
    this.#waiting += length;
    this.#partial = 0;
    this.#permitted = false;
    this.#count();
  }

  /** The turn of a message has come: from here on its request counts it. */
  served({ length }: Buffer): void {
    this.#waiting -= length;
    this.#count();
  }

  /** Nothing is expected any more, and nothing kept. */
  close(): void {
    this.#partial = 0;
    this.#waiting = 0;
    this.#count();
  }

  #take(length: number): void {
    const { ws } = this.#line;
    if (ws.readyState !== ws.OPEN) return;
    this.#partial += length;
    try {
      this.#count();
    } catch (fault) {
      this.#refuse(fault);
      return;
    }
    if (this.#partial > this.#parts.unfundedBytes && !this.#permitted) this.#askPermit();
  }

  #count(): void {
    const bytes = this.#partial + this.#waiting;
    if (this.#partial === 0) {
      if (this.#watched !== null) this.#parts.arrivals.drop(this.#watched);
      this.#watched = null;
    } else {
      this.#watched ??= this.#parts.arrivals.watch({
        received: () => this.#partial,
        cut: (fault) => this.#refuse(fault),
      });
    }
    if (bytes === 0) {
      this.#share?.leave();
      this.#share = null;
      return;
    }
    const share = (this.#share ??= this.#parts.shares.enter(this.#line.key().payer));
    share.giveBack();
    share.take(bytes);
    // To make room, this very message may have been cut.
    if (this.#share !== share) share.giveBack();
  }

  #askPermit(): void {
    const { ws, key } = this.#line;
    this.#permitted = true;
    ws.pause();
    this.#parts.requireFunds(key(), this.#parts.unfundedBytes).then(
      () => ws.resume(),
      (fault: unknown) => this.#refuse(fault),
    );
  }

  #refuse(fault: unknown): void {
    this.close();
    this.#line.onRefused(fault);
  }
}
