import type { Amounts } from "../money/amount.ts";
import type { CallFormat } from "./dialect.ts";

/** A request that has been admitted and has not ended, as it is now. */
export type InFlight = {
  id: string;
  keyId: string;
  /** Not secret. */
  keyPrefix: string;
  keyLabel: string | null;
  /** What its key stands under, from the root down; its own id where it is its own account. */
  accounts: readonly string[];
  dialect: CallFormat;
  streamed: boolean;
  model: string;
  /** The one that was asked last; null while none was. */
  provider: string | null;
  /** What the client calls itself, made harmless; null: it does not say. */
  agent: string | null;
  ageMs: number;
  firstByteMs: number | null;
  /** What is set aside for it. */
  reserved: Amounts;
  /** What it has produced and would cost if it ended now; null for what is not streamed, or has not begun. */
  soFar: { outputTokens: number; cost: Amounts } | null;
};

/** A request that has ended, as those who watch are told. */
export type Ended = {
  /** As clients see it. */
  requestId: string;
  atMs: number;
  keyId: string | null;
  /** What its key stands under, from the root down; empty without a key. */
  accounts: readonly string[];
  dialect: CallFormat;
  streamed: boolean;
  /** As it was found, or as the client named it. */
  model: string | null;
  provider: string | null;
  status: number;
  code: string | null;
  outcome: string | null;
  inputTokens: number;
  outputTokens: number;
  /** Null: nothing was charged. */
  charged: Amounts | null;
  tookMs: number;
  firstByteMs: number | null;
  /** The message that the client got; null when it was not refused. */
  refusal: string | null;
};
