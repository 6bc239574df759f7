import type { Outcome, Usage } from "../core/usage.ts";

/** Money set aside for one request. Leaving its scope without a settlement gives it back whole. */
export type Hold = AsyncDisposable & {
  /** Books what the request cost. Resolves when that is durable: nobody is told an answer is complete before. */
  settle: (result: { outcome: Outcome; usage: Usage | null }) => Promise<void>;
};

export type Ask = { requestId: string; keyId: string; modelId: string; maxOutputTokens: number | null };

/** Decides whether a request may start, and sets aside what it may cost. */
export type Admit = (ask: Ask) => Promise<Hold>;

const FREE_HOLD: Hold = { settle: () => Promise.resolve(), [Symbol.asyncDispose]: () => Promise.resolve() };

/** Admits everything and charges nothing. It stands where the ledger will, so that the order of the story is already true. */
export const admitEverything: Admit = () => Promise.resolve(FREE_HOLD);
