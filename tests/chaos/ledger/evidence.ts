/** The routes a caller may use. */
export type Route = "chat" | "responses" | "messages";

export type Tokens = { inputTokens: number; outputTokens: number };

/** What a caller saw of one attempt. */
export type ClientEntry = {
  /** Unique in the prompt of a logical request; a retry sends the same bytes and so the same marker. */
  marker: string;
  keyId: string;
  model: string;
  route: Route;
  streamed: boolean;
  /** The Idempotency-Key it sent. */
  claim: string | null;
  /** What the gateway must at least be able to set aside for it: known to the test, or told by a refusal. */
  least: bigint | null;
  /** What the key has, as a refusal told it. */
  toldPosted: bigint | null;
  /** The tokens of its prompt by the estimator that money is set aside with. */
  estimatedInputTokens: number;
  sentAtMs: number;
  endedAtMs: number;
  /** The id of its hold, read from the header; null when no head came. */
  holdId: string | null;
  status: number | null;
  /** Of a refusal, or of an error within a stream. */
  code: string | null;
  /** When the whole answer had been seen, its terminal event included. */
  terminalAtMs: number | null;
  usage: Tokens | null;
  /** Events with content. */
  events: number;
  /** When the first of them was seen. */
  contentAtMs: number | null;
  bytes: number;
  sha256: string;
  /** The caller closed the connection itself. */
  left: boolean;
  leftAtMs: number | null;
  /** Nothing more came and nobody closed. */
  hung: boolean;
  replayed: boolean;
};

/** What the provider swears it was asked and sent. */
export type ProviderEntry = {
  marker: string;
  /** In which format it was asked. */
  dialect: Route | "gemini" | "converse";
  receivedAtMs: number;
  status: number | null;
  /** Sent, of the planned output. */
  sentTokens: number;
  /** The text of what was sent, by the tokenizer. */
  countedTokens: number;
  /** What it says the answer took; null when it says nothing. */
  usage: Tokens | null;
  ended: "completed" | "failed" | "caller_gone" | null;
  callerGoneAtMs: number | null;
};

export type BalanceRow = {
  keyId: string;
  unit: "credit" | "tokens";
  posted: bigint;
  held: bigint;
  olderHeld: bigint;
  purchased: bigint;
  used: bigint;
  budget: bigint;
  periodNo: bigint;
  requests: bigint;
  tokensIn: bigint;
  tokensOut: bigint;
  rpmLimit: number | null;
};

export type HoldRow = { id: string; keyId: string; amount: bigint; periodNo: bigint };

export type ChargeRow = {
  holdId: string;
  keyId: string;
  granted: bigint;
  amount: bigint;
  kind: "completed" | "client_gone" | "upstream_failed" | "timed_out" | "swept" | "voided";
  periodNo: bigint;
  tokensIn: bigint;
  tokensOut: bigint;
  atMs: number;
};

export type FundingRow = {
  keyId: string;
  reference: string;
  kind: "purchase" | "grant" | "refund" | "adjust" | "limit" | "turn";
  amount: bigint;
  periodNo: bigint;
  about: string | null;
  atMs: number;
};

export type RecordRow = { id: string; keyId: string; cost: bigint; outcome: string; estimated: boolean };
export type HouseRow = { holdId: string; kind: "overrun" | "write_off" | "failed" | "voided"; amount: bigint };
export type ClaimRow = { keyId: string; holdId: string; state: string };

/** The ledger's tables as they stood at one instant. */
export type LedgerState = {
  balances: BalanceRow[];
  holds: HoldRow[];
  charges: ChargeRow[];
  funding: FundingRow[];
  records: RecordRow[];
  house: HouseRow[];
  claims: ClaimRow[];
};

/** Three witnesses who did not talk to each other. */
export type Evidence = { clients: ClientEntry[]; calls: ProviderEntry[]; ledger: LedgerState };

/** What a check looked at, and what it found wrong. */
export type Finding = { counted: number; violations: string[] };
export type Check = (evidence: Evidence) => Finding;
