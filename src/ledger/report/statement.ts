/** Requests of a key for a model. */
export type StatementLine = {
  keyId: string;
  key: string;
  model: string;
  requests: bigint;
  credits: bigint;
  tokens: bigint;
  inputTokens: bigint;
  outputTokens: bigint;
};

export type StatementFunding = { atMs: number; kind: string; amount: bigint; reference: string; actor: string };
export type StatementRefund = {
  atMs: number;
  keyId: string;
  requestId: string;
  credits: bigint | null;
  tokens: bigint | null;
  reference: string;
  actor: string;
};

/**
 * A month of an account, UTC, by the time at which requests ended. With a purse: what the purse paid for, and opening + funded - charged +
 * refunded = closing. Without: what the keys below it used, whoever paid.
 */
export type Statement = {
  month: string;
  /** The month is not over: figures will grow. */
  running: boolean;
  opening: bigint | null;
  funded: bigint;
  charged: bigint;
  refunded: bigint;
  closing: bigint | null;
  fundings: readonly StatementFunding[];
  /** Dearest first. */
  lines: readonly StatementLine[];
  refunds: readonly StatementRefund[];
  /** How many are not listed, since there are too many. The sums above have them. */
  more: { fundings: number; lines: number; refunds: number };
};

/** Null: the month has not begun. */
export type ReadStatement = (accountId: string, month: string) => Promise<Statement | null>;
