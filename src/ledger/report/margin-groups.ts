/** Charges that cost alike: of one model, account and way of being served, between two steps of price, of one time, with the same parts. */
export type MarginGroup = {
  /** UTC, by when they were charged. */
  day: string;
  model: string | null;
  accountId: string | null;
  account: string | null;
  /** What is null the journal does not know. */
  provider: string | null;
  upstreamModel: string | null;
  tier: string;
  region: string;
  /** What the answer named instead, such as `tier priority`; empty: nothing. */
  said: string;
  /** How many of the steps their input has reached. */
  step: number;
  /** How many of the moments had come when they were admitted. */
  era: number;
  /** Of each of the hours whether they began in them. */
  peaks: readonly boolean[];
  /** False: they are paid in tokens, and have no amount in credits. */
  inCredits: boolean;
  requests: number;
  chargedNano: bigint;
  /** What was given back of it, whenever that was. */
  refundedNano: bigint;
  /** Tokens by part, which have none in common, and calls by `tools.` and the tool's name. */
  counts: Readonly<Record<string, bigint>>;
};

/** Where costs change: sizes of input in ascending order, moments, and hours of the week in the words of prices. */
export type CostCuts = { steps: readonly number[]; moments: readonly Date[]; hours: readonly string[] };

/** The charges of a day of UTC. */
export type ReadMarginGroups = (day: string, cuts: CostCuts) => Promise<MarginGroup[]>;
