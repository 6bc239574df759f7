import type { Pace } from "../../../core/request/pace.ts";

/** Shorter gaps within an answer are the network's and the scheduler's. */
const SILENCE_MS = 2_000;
/** Of common prose and code. */
const TOKENS_PER_BYTE = 0.25;
/** In doubt for the caller: estimates are off both ways, and the sum of them is to be no more than was produced. */
const CHARGED_SHARE = 0.97;

type Parts = {
  pace: Pick<Pace, "tokensPerSecond" | "firstTokenMs" | "lateFirstTokenMs">;
  choices: number;
  answeredAtMs: number;
};

/**
 * What a model that reasons in secret has produced beside what was seen, told by the clock: the time before the first token and every
 * long silence after it, less what it usually takes to begin, times the pace of the route. What then comes in one piece was
 * produced in that time and is not counted again. [interface decision 20]
 */
export class SilenceMeter {
  readonly #parts: Parts;
  #lastAtMs: number;
  #seenBytes = 0;
  #pausedMs = 0;
  #hidden = 0;
  #doubted = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#lastAtMs = parts.answeredAtMs;
  }

  /** `pausedMs`: how long in all the provider was not read from because the caller was slow. */
  note(seenBytes: number, nowMs: number, pausedMs: number): void {
    const grownBytes = seenBytes - this.#seenBytes;
    if (grownBytes === 0) return;
    const { hidden, doubted } = this.#silence(grownBytes, nowMs, pausedMs);
    this.#hidden += hidden;
    this.#doubted += doubted;
    this.#lastAtMs = nowMs;
    this.#seenBytes = seenBytes;
    this.#pausedMs = pausedMs;
  }

  /** Up to now. */
  tokens(nowMs: number, pausedMs: number): number {
    return Math.floor((this.#hidden + this.#silence(0, nowMs, pausedMs).hidden) * this.#parts.choices);
  }

  /** What may have been thought beside that and is not charged, because it is in doubt. */
  doubtedTokens(nowMs: number, pausedMs: number): number {
    return Math.ceil((this.#doubted + this.#silence(0, nowMs, pausedMs).doubted) * this.#parts.choices);
  }

  #silence(grownBytes: number, nowMs: number, pausedMs: number): { hidden: number; doubted: number } {
    const { tokensPerSecond, firstTokenMs, lateFirstTokenMs } = this.#parts.pace;
    const isFirst = this.#seenBytes === 0;
    const gapMs = nowMs - this.#lastAtMs - (pausedMs - this.#pausedMs);
    const shortMs = isFirst ? lateFirstTokenMs : Math.max(SILENCE_MS, lateFirstTokenMs);
    const perhapsMs = Math.max(0, gapMs - firstTokenMs);
    // Just after the doubt it fades: no millisecond decides over a second.
    const surelyMs = Math.min(perhapsMs, 2 * Math.max(0, gapMs - shortMs));
    const producedIn = (ms: number): number => (ms * tokensPerSecond) / 1_000;
    const charged = producedIn(surelyMs) * CHARGED_SHARE;
    return {
      hidden: Math.max(0, charged - grownBytes * TOKENS_PER_BYTE),
      doubted: isFirst || surelyMs > 0 ? producedIn(perhapsMs) - charged : 0,
    };
  }
}
