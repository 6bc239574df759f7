import { AnswerLimitError, boundBeside } from "../core/request/answer-limit.ts";
import { wholeSeconds } from "../core/deadline.ts";
import type { ByteStream } from "../core/bytes/byte-stream.ts";
import type { Clock } from "../core/clock.ts";
import type { AnswerHead, Sink } from "../core/request/sink.ts";
import type { AnswerOutcome, Usage } from "../core/money/usage.ts";
import { type AnswerStage, DROP, FAILED, PASS, TERMINAL } from "../translate/answer-stage.ts";
import { EventSplitter } from "../wire/sse/event-splitter.ts";

export type RelayLimits = {
  /** How long a stream may last in all, from the moment the request came in. */
  deadlineMs: number;
  /** Silence after which the caller is sent a sign of life; 0: none is sent. */
  keepAliveMs: number;
  /** The largest event beside what it repeats of the request. */
  maxEventBytes: number;
};

export type RelayTask = {
  body: ByteStream;
  stage: AnswerStage;
  sink: Sink;
  head: AnswerHead;
  /** When the request came in, on the clock of durations. */
  startedAtMs: number;
  /** Of the request that is answered. */
  requestBytes: number;
  onFirstByte: () => void;
  /**
   * Called when something more has been handed to the caller, and in silence, with the time on the clock of durations. `pausedMs`: how long
   * in all the caller kept us from reading.
   */
  onProgress: (nowMs: number, pausedMs: number) => void;
};

/** How the stream went. `begun` is false while the caller has seen nothing, so that a failure can still have a status. */
export type Relayed = {
  outcome: AnswerOutcome;
  /** Which bound of ours ended it; null when none did. */
  limit: AnswerLimitError | null;
  /** The event by which the provider failed; null when none did. */
  failedBy: Buffer | null;
  begun: boolean;
  usage: Usage | null;
  terminal: Buffer | null;
  bytesOut: number;
  /** How long in all the caller kept us from reading. */
  pausedMs: number;
};

export type Relay = (task: RelayTask) => Promise<Relayed>;

/** Forwards a provider's stream as it comes and keeps the terminal event back. */
export const createRelay =
  ({ limits, clock }: { limits: RelayLimits; clock: Clock }): Relay =>
  (task) =>
    new Promise((resolve, reject) => {
      const stream = new RelayedStream(task, { limits, clock, resolve, reject });
      stream.start();
    });

/** A chunk of so many bytes is followed by another at once, and holds hundreds of events. */
const LONG_CHUNK_BYTES = 16_384;

/** How long, and for how much, a provider that has ended its answer may go on before its connection is given up. */
const LATE = { timeMs: 5_000, bytes: 65_536 };

type Parts = {
  limits: RelayLimits;
  clock: Clock;
  resolve: (relayed: Relayed) => void;
  reject: (error: unknown) => void;
};

/** One stream on its way. Callbacks and not promises: at thousands of events per second a promise per chunk is the cost. */
class RelayedStream {
  readonly #task: RelayTask;
  readonly #splitter: EventSplitter;
  readonly #maxEventBytes: number;
  readonly #parts: Parts;
  #deadline: NodeJS.Timeout | null = null;
  #silence: NodeJS.Timeout | null = null;
  /** On the clock of durations, read once per chunk: of many events a second, each would pay for it. */
  #nowMs = 0;
  #wroteAtMs = 0;
  #begun = false;
  #paused = false;
  #resting = false;
  #pausedAtMs = 0;
  #pausedMs = 0;
  #ended = false;
  #terminalSeen = false;
  #failedBy: Buffer | null = null;
  #bytesOut = 0;
  #limit: AnswerLimitError | null = null;
  #endedAtMs = 0;
  #lateBytes = 0;
  /** What the events of one chunk have come to; it leaves in one write. */
  readonly #pieces: Buffer[] = [];
  /** Untouched events among them: a range of the buffer they came in. */
  #run: Buffer | null = null;
  #runStart = 0;
  #runEnd = 0;

  constructor(task: RelayTask, parts: Parts) {
    this.#task = task;
    this.#parts = parts;
    const visit = (bytes: Buffer, start: number, end: number): void => this.#event(bytes, start, end);
    this.#maxEventBytes = boundBeside(parts.limits.maxEventBytes, task.requestBytes);
    this.#splitter = new EventSplitter(visit, this.#maxEventBytes);
  }

  start(): void {
    const { body, sink, startedAtMs } = this.#task;
    const { limits, clock } = this.#parts;
    this.#nowMs = this.#wroteAtMs = clock.elapsedMs();
    const remainingMs = limits.deadlineMs - (this.#nowMs - startedAtMs);
    this.#deadline = setTimeout(() => this.#finish("timed_out"), wholeSeconds(remainingMs));
    if (limits.keepAliveMs > 0) this.#silence = setTimeout(() => this.#lookForSilence(), limits.keepAliveMs);
    sink.onGone(() => this.#finish("client_gone"));
    if (this.#ended) return;
    sink.onDrained(() => this.#resume());
    body.read({
      chunk: (bytes) => this.#chunk(bytes),
      end: () => this.#close(),
      fail: () => this.#finish("upstream_failed"),
    });
  }

  #chunk(bytes: Buffer): void {
    if (this.#ended) return this.#late(bytes);
    this.#nowMs = this.#parts.clock.elapsedMs();
    try {
      const whole = this.#splitter.push(bytes);
      this.#writePieces();
      this.#task.onProgress(this.#nowMs, this.#pausedMsAt(this.#nowMs));
      if (this.#terminalSeen) this.#close();
      else if (this.#failedBy !== null) this.#finish("upstream_failed");
      else if (!whole) this.#limited(eventTooLarge(this.#maxEventBytes));
      else if (bytes.length >= LONG_CHUNK_BYTES) this.#rest();
    } catch (error) {
      // What came before it counts as delivered.
      this.#writePieces();
      this.#crashed(error);
    }
  }

  /** Bytes after the end are nobody's. A few are let by, since the connection can then be used again. */
  #late({ length }: Buffer): void {
    this.#lateBytes += length;
    const lateMs = this.#parts.clock.elapsedMs() - this.#endedAtMs;
    if (this.#lateBytes > LATE.bytes || lateMs > LATE.timeMs) this.#task.body.cancel();
  }

  #event(bytes: Buffer, start: number, end: number): void {
    if (this.#terminalSeen || this.#failedBy !== null) return;
    const verdict = this.#task.stage.event(bytes, start, end);
    if (verdict === PASS) {
      if (this.#run === null) this.#runStart = start;
      this.#run = bytes;
      this.#runEnd = end;
      return;
    }
    this.#endRun();
    if (verdict === TERMINAL) this.#terminalSeen = true;
    else if (verdict === FAILED) this.#failedBy = Buffer.from(bytes.subarray(start, end));
    else if (verdict !== DROP) this.#pieces.push(verdict);
  }

  /** Neighbouring untouched events are one piece, as the bytes they came in. */
  #endRun(): void {
    if (this.#run === null) return;
    const bytes = this.#run;
    this.#run = null;
    const all = this.#runStart === 0 && this.#runEnd === bytes.length;
    this.#pieces.push(all ? bytes : bytes.subarray(this.#runStart, this.#runEnd));
  }

  #writePieces(): void {
    this.#endRun();
    const [first] = this.#pieces;
    if (first === undefined) return;
    const bytes = this.#pieces.length === 1 ? first : Buffer.concat(this.#pieces);
    this.#pieces.length = 0;
    this.#write(bytes);
  }

  #write(bytes: Buffer): void {
    if (bytes.length === 0) return;
    if (!this.#begun) this.#begin();
    this.#bytesOut += bytes.length;
    this.#wroteAtMs = this.#nowMs;
    if (!this.#task.sink.write(bytes) && !this.#paused) {
      this.#paused = true;
      this.#pausedAtMs = this.#nowMs;
      this.#task.body.pause();
    }
  }

  #begin(): void {
    this.#begun = true;
    this.#task.sink.begin(this.#task.head);
    this.#task.onFirstByte();
  }

  #resume(): void {
    if (!this.#paused) return;
    this.#pausedMs = this.#pausedMsAt(this.#parts.clock.elapsedMs());
    this.#paused = false;
    if (!this.#ended && !this.#resting) this.#task.body.resume();
  }

  /** The runtime reads on while there is more to read, megabytes in one go; here everybody else has a turn before the next piece. */
  #rest(): void {
    this.#resting = true;
    this.#task.body.pause();
    setImmediate(() => {
      this.#resting = false;
      if (!this.#ended && !this.#paused) this.#task.body.resume();
    });
  }

  #pausedMsAt(nowMs: number): number {
    return this.#pausedMs + (this.#paused ? nowMs - this.#pausedAtMs : 0);
  }

  /** One timer that finds out whether there was silence, and not one that is set anew with every event. */
  #lookForSilence(): void {
    const { clock, limits } = this.#parts;
    this.#nowMs = clock.elapsedMs();
    // Timers count whole milliseconds, so that one may be early by the rest of one.
    const leftMs = limits.keepAliveMs - (this.#nowMs - this.#wroteAtMs);
    if (leftMs < 1) this.#signOfLife();
    if (this.#ended) return;
    this.#silence = setTimeout(() => this.#lookForSilence(), leftMs < 1 ? limits.keepAliveMs : leftMs);
  }

  /** What is written always ends with an event, so this never lands inside one. */
  #signOfLife(): void {
    this.#write(this.#task.stage.keepAlive);
    this.#task.onProgress(this.#nowMs, this.#pausedMsAt(this.#nowMs));
  }

  /** The provider is done: the answer is whole if it said so, or if the stage can tell that nothing is missing. */
  #close(): void {
    if (this.#ended) return;
    this.#nowMs = this.#parts.clock.elapsedMs();
    try {
      const rest = this.#task.stage.close();
      if (rest !== null) this.#write(rest);
      this.#finish(this.#task.stage.terminal() ? "completed" : "upstream_failed");
    } catch (error) {
      this.#crashed(error);
    }
  }

  /**
   * A stage that throws ends this stream and no other: left to whoever called, its timers would go on and write to a response
   * that has long been refused. While there is a status to send, it is the bug that it is; later it is a limit of ours like any
   * other, and what was delivered is paid for.
   */
  #crashed(error: unknown): void {
    if (error instanceof AnswerLimitError) return this.#limited(error);
    if (!this.#begun) this.#parts.reject(error);
    this.#limited(
      new AnswerLimitError("The gateway can't read the rest of the provider's response.", { cause: error }),
    );
  }

  #limited(limit: AnswerLimitError): void {
    this.#limit = limit;
    this.#finish("limited");
  }

  #finish(outcome: AnswerOutcome): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#endedAtMs = this.#parts.clock.elapsedMs();
    clearTimeout(this.#deadline ?? undefined);
    clearTimeout(this.#silence ?? undefined);
    const { body, stage } = this.#task;
    // A whole answer lets the provider's connection end by itself, so that it can be used again.
    if (outcome !== "completed") body.cancel();
    else if (this.#paused || this.#resting) body.resume();
    this.#parts.resolve({
      outcome,
      limit: outcome === "limited" ? this.#limit : null,
      failedBy: this.#failedBy,
      begun: this.#begun,
      usage: stage.usage(),
      terminal: outcome === "completed" ? stage.terminal() : null,
      bytesOut: this.#bytesOut,
      pausedMs: this.#pausedMsAt(this.#endedAtMs),
    });
  }
}

const eventTooLarge = (bytes: number): AnswerLimitError =>
  new AnswerLimitError(
    `The provider sent an event of more than ${bytes.toLocaleString("en-US")} bytes, the limit for this request.`,
  );
