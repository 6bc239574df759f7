import type { Pace } from "../../core/pace.ts";

/** Shorter gaps within an answer are the network's and the scheduler's. */
const SILENCE_MS = 2_000;
/** Of common prose and code. */
const TOKENS_PER_BYTE = 0.25;

type Parts = { pace: Pace; choices: number; answeredAtMs: number };

/**
 * What a model that reasons in secret has produced beside its answer, told by the clock: the time before the first token of the answer,
 * less what is usual without reasoning, and every long silence after it, times the pace of the route. What then comes in one
 * piece was produced in that time and is not counted again. Summaries of thoughts are no answer: the thoughts were longer. [interface decision 20]
 */
export class SilenceMeter {
  readonly #parts: Parts;
  #lastAtMs: number;
  #answerBytes = 0;
  #pausedMs = 0;
  #hidden = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#lastAtMs = parts.answeredAtMs;
  }

  /** `pausedMs`: how long in all the provider was not read from because the caller was slow. */
  note(answerBytes: number, nowMs: number, pausedMs: number): void {
    const grownBytes = answerBytes - this.#answerBytes;
    if (grownBytes === 0) return;
    this.#hidden += this.#silent(grownBytes, nowMs, pausedMs);
    this.#lastAtMs = nowMs;
    this.#answerBytes = answerBytes;
    this.#pausedMs = pausedMs;
  }

  /** Up to now. */
  tokens(nowMs: number, pausedMs: number): number {
    return Math.ceil((this.#hidden + this.#silent(0, nowMs, pausedMs)) * this.#parts.choices);
  }

  #silent(grownBytes: number, nowMs: number, pausedMs: number): number {
    const { pace } = this.#parts;
    const gapMs = nowMs - this.#lastAtMs - (pausedMs - this.#pausedMs);
    const first = this.#answerBytes === 0;
    if (!first && gapMs < SILENCE_MS) return 0;
    const silentMs = gapMs - (first ? pace.firstTokenMs : 0);
    return Math.max(0, (silentMs * pace.tokensPerSecond) / 1_000 - grownBytes * TOKENS_PER_BYTE);
  }
}
