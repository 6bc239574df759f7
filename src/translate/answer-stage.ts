import type { Fault } from "../core/fault.ts";
import type { Usage } from "../core/money/usage.ts";
import type { DeliveredText } from "./delivered-text.ts";

/** The event goes to the caller as it came. */
export const PASS = 1;
/** The event is not for the caller. */
export const DROP = 2;
/** The event ends the answer. It is kept back until the answer is paid for. */
export const TERMINAL = 3;
/** The provider says, or shows, that it failed. */
export const FAILED = 4;

/** What becomes of one provider event: one of the above, or the bytes that stand for it. */
export type Verdict = typeof PASS | typeof DROP | typeof TERMINAL | typeof FAILED | Buffer;

/** What tools that the provider runs have done in a stream so far. */
export type ProviderRuns = {
  /** Those that are billed, by the tool's name. */
  toolCalls: Usage["toolCalls"];
  /** The input that they have added to what was said of it at the start, as far as it was seen. */
  inputTokens: number;
  /** One of them is at work, so that the model is not. */
  running: boolean;
};

/** What a provider's stream turns into, event by event. One per request; not to be shared. */
export type AnswerStage = {
  event: (bytes: Buffer, start: number, end: number) => Verdict;
  /** The provider has closed its stream. Returns what still belongs before the terminal event. */
  close: () => Buffer | null;
  /**
   * What was kept back until the answer was paid for, up to the event that tells the caller it is whole; null while it is not. It shows the
   * usage that was charged; without one, the provider's. May be asked for again.
   */
  terminal: (charged?: Usage) => Buffer | null;
  /** The provider's usage, once it has been seen and found possible. */
  usage: () => Usage | null;
  /** What the provider has said of the input alone, where it says so at the start; its output is 0. */
  inputUsage: () => Usage | null;
  /** Absent: none are asked for in this format. */
  providerRuns?: () => ProviderRuns;
  /** What the provider has produced, for a stream that ends before its usage is known. */
  delivered: DeliveredText;
  /** Sent to a caller in silence, between events. */
  keepAlive: Buffer;
  /** How this format tells of a failure after content has begun. Never a silent close. */
  failure: (fault: Fault, requestId: string) => Buffer;
};

/** A plain answer, read and ready for the caller. */
export type PlainAnswer = {
  bytes: Buffer;
  usage: Usage | null;
  /** The usage as those bytes tell it. */
  shown: unknown;
};
