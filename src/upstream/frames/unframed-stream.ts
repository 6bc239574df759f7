import type { ByteReader, ByteStream } from "../../core/bytes/byte-stream.ts";
import { FrameSplitter } from "../../wire/event-stream/frame-splitter.ts";
import type { Frame } from "../../wire/event-stream/frame.ts";
import { UpstreamError } from "../upstream.ts";
import { exceptionIn } from "./frame-exception.ts";
import type { FrameException, FrameReader } from "./frame-reader.ts";

/** How a stream of frames begins: with one that belongs to an answer, with an exception, or not at all. */
export type Beginning =
  | { kind: "answer" }
  | { kind: "exception"; said: FrameException }
  | { kind: "failure"; error: UpstreamError };

/** As large as an event may be that is relayed. */
const MOST_FRAME_BYTES = 8 * 1024 * 1024;

/** Frames on one side, server-sent events on the other. Both sides are pushed, and nothing is kept but a frame that is not whole. */
export class UnframedStream implements ByteStream {
  readonly #source: ByteStream;
  readonly #frames: FrameReader;
  readonly #begun: (beginning: Beginning) => void;
  readonly #splitter = new FrameSplitter((frame) => this.#frame(frame), MOST_FRAME_BYTES);
  #reader: ByteReader | null = null;
  /** What the frames of one chunk have come to. */
  #pieces: Buffer[] = [];
  /** What came before the reader, which comes a microtask after the first of it. */
  #early: Buffer[] = [];
  #hasBegun = false;
  #failure: UpstreamError | null = null;
  #ending: { error: Error | null } | null = null;

  constructor(source: ByteStream, frames: FrameReader, begun: (beginning: Beginning) => void) {
    this.#source = source;
    this.#frames = frames;
    this.#begun = begun;
  }

  start(): void {
    this.#source.read({
      chunk: (bytes) => this.#chunk(bytes),
      end: () => this.#sourceEnded(),
      fail: (error) => this.#fail(error),
    });
  }

  /** Waits no longer for its beginning: an exception is an event of the stream from now on. */
  passOn(): void {
    this.#begin({ kind: "answer" });
  }

  #chunk(bytes: Buffer): void {
    if (this.#ending !== null) return;
    const fault = this.#splitter.push(bytes);
    if (fault !== null) this.#failure ??= broken(`a frame is not one: ${fault}`);
    if (this.#failure === null) return this.#pass();
    this.#source.cancel();
    this.#fail(this.#failure);
  }

  #frame(frame: Frame): void {
    if (this.#failure !== null) return;
    const said = exceptionIn(frame);
    if (said !== null) return this.#broke(said);
    const events = this.#frames.events(frame.headers.get(":event-type") ?? "", frame.payload);
    if (events === null) {
      this.#failure = broken("a frame holds what cannot be read");
      return;
    }
    // What says nothing of an answer is not its beginning: an exception behind it can still be a refusal.
    if (events.length === 0) return;
    this.#pieces.push(events);
    this.#begin({ kind: "answer" });
  }

  #broke(said: FrameException): void {
    this.#failure = broken(`the provider broke off: ${said.type}`);
    if (!this.#hasBegun) return this.#begin({ kind: "exception", said });
    this.#pieces.push(this.#frames.rest(), this.#frames.exception(said));
  }

  #begin(beginning: Beginning): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#begun(beginning);
  }

  #sourceEnded(): void {
    if (this.#ending !== null) return;
    const isWhole = this.#hasBegun && !this.#splitter.isWithin && this.#frames.isWhole();
    if (isWhole) this.#end(null);
    else this.#fail(broken("the stream ended before its answer did"));
  }

  #fail(error: Error): void {
    if (this.#ending !== null) return;
    const failure = error instanceof UpstreamError ? error : broken(error.message);
    this.#pieces.push(this.#frames.rest());
    this.#begin({ kind: "failure", error: failure });
    this.#pass();
    this.#end(failure);
  }

  #pass(): void {
    const [first, ...more] = this.#pieces.filter(({ length }) => length > 0);
    this.#pieces = [];
    if (first === undefined) return;
    const bytes = more.length === 0 ? first : Buffer.concat([first, ...more]);
    if (this.#reader === null) this.#early.push(bytes);
    else this.#reader.chunk(bytes);
  }

  #end(error: Error | null): void {
    this.#ending = { error };
    this.#tellEnding();
  }

  #tellEnding(): void {
    if (this.#reader === null || this.#ending === null) return;
    const { error } = this.#ending;
    if (error === null) this.#reader.end();
    else this.#reader.fail(error);
  }

  read(reader: ByteReader): void {
    this.#reader = reader;
    for (const bytes of this.#early.splice(0)) reader.chunk(bytes);
    this.#tellEnding();
  }

  pause(): void {
    this.#source.pause();
  }

  resume(): void {
    this.#source.resume();
  }

  cancel(): void {
    this.#ending ??= { error: null };
    this.#reader = null;
    this.#source.cancel();
  }
}

const broken = (why: string): UpstreamError => new UpstreamError("broken", new Error(why), { sent: true });
