import { createHash, type Hash } from "node:crypto";
import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { Clock } from "../../core/clock.ts";
import type { Gate } from "./gate.ts";
import type { Call, CallEnd, WitnessLog } from "../witness.ts";

type OutletParts = {
  response: ServerResponse;
  call: Call;
  /** Sent with every answer, whatever it is. */
  headers: OutgoingHttpHeaders;
  witness: WitnessLog;
  gate: Gate;
  clock: Clock;
};

/** The answer's way out. Every byte passes here, so that the witness can swear to it. */
export class Outlet {
  readonly call: Call;
  readonly clock: Clock;
  readonly #response: ServerResponse;
  readonly #headers: OutgoingHttpHeaders;
  readonly #witness: WitnessLog;
  readonly #gate: Gate;
  #hash: Hash | null = null;
  #framed: (text: string) => Buffer | string = itself;
  #onGone: () => void = ignore;

  constructor({ response, call, headers, witness, gate, clock }: OutletParts) {
    this.call = call;
    this.clock = clock;
    this.#response = response;
    this.#headers = headers;
    this.#witness = witness;
    this.#gate = gate;
    response.on("finish", () => this.finish("completed"));
    response.on("close", () => this.#closed());
    // A caller that leaves in the middle of a write is reported by `close`; the error itself says nothing more.
    response.on("error", ignore);
  }

  get open(): boolean {
    return this.call.ended === null;
  }

  hash(): void {
    this.#hash = createHash("sha256");
  }

  /** From here on texts are events, which are sent otherwise. */
  frame(framed: (text: string) => Buffer): void {
    this.#framed = framed;
  }

  /** At most one at a time: whoever waits for something else than the caller. */
  whenGone(callback: () => void): void {
    this.#onGone = callback;
  }

  begin(status: number, headers: OutgoingHttpHeaders): void {
    this.call.status = status;
    this.#response.writeHead(status, { ...this.#headers, ...headers });
  }

  /** False: the reader is slow; go on when `drained` calls back. */
  write(said: string | Buffer, events: number): boolean {
    const text = this.#bytesOf(said);
    this.#account(text, events);
    return this.#response.write(text);
  }

  drained(callback: () => void): void {
    this.#response.once("drain", callback);
  }

  end(said: string | Buffer = "", events = 0): void {
    const text = this.#bytesOf(said);
    if (text.length > 0) this.#account(text, events);
    // As latin1 text, which is its bytes one for one, a small body leaves with its headers in a single write.
    if (typeof text !== "string" && text.length <= SMALL_BYTES) this.#response.end(text.toString("latin1"), "latin1");
    else this.#response.end(text);
  }

  /** Ends the call badly but in good order: the caller gets every byte so far and a proper end of the body. */
  fail(said: string | Buffer = "", events = 0): void {
    const text = this.#bytesOf(said);
    if (text.length > 0) this.#account(text, events);
    this.finish("failed");
    this.#response.end(text);
  }

  /** Resets the connection once what was written has been handed to the kernel, so that those bytes still arrive. */
  reset(): void {
    this.finish("failed");
    const { socket } = this.#response;
    if (!socket) return;
    if (this.#response.headersSent) this.#response.write("", () => setImmediate(() => socket.resetAndDestroy()));
    else socket.resetAndDestroy();
  }

  /** Closes the connection in the middle of the body. */
  cut(): void {
    this.finish("failed");
    this.#response.socket?.end();
  }

  /** Waits to be released; calls back unless the caller leaves first. */
  pause(resume: () => void): void {
    this.call.paused = true;
    this.#gate.hold(this.call.callId, () => {
      this.call.paused = false;
      resume();
    });
    this.#witness.changed(this.call);
  }

  finish(ended: CallEnd): void {
    const { call } = this;
    if (call.ended !== null) return;
    call.ended = ended;
    call.endedAtMs = this.clock.nowMs();
    call.paused = false;
    call.sha256 = this.#hash?.digest("hex") ?? null;
    this.#witness.changed(call);
  }

  #bytesOf(said: string | Buffer): string | Buffer {
    return typeof said === "string" && said !== "" ? this.#framed(said) : said;
  }

  #account(text: string | Buffer, events: number): void {
    const { call } = this;
    call.firstByteAtMs ??= this.clock.nowMs();
    call.eventsProduced += events;
    call.bytesProduced += Buffer.byteLength(text);
    this.#hash?.update(text);
  }

  #closed(): void {
    this.#gate.leave(this.call.callId);
    if (this.call.ended !== null) return;
    this.call.callerGoneAtMs = this.clock.nowMs();
    this.finish("caller_gone");
    this.#onGone();
  }
}

const SMALL_BYTES = 16_384;

const itself = (text: string): string => text;

function ignore(): void {}
