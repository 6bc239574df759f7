/** A charge, as far as a bill can speak of it. What is null the journal does not know. */
export type JournalRow = {
  admittedAtMs: number;
  atMs: number;
  holdId: string;
  credential: string | null;
  provider: string;
  upstreamModel: string | null;
  tier: string;
  region: string;
  /** How it ended. */
  kind: string;
  /** The counts are ours and not the provider's. */
  estimated: boolean;
  /** Tokens by part, which have none in common, and calls by `tools.` and the tool's name. */
  counts: Readonly<Record<string, number>>;
};

export type JournalRows = AsyncIterable<JournalRow>;

/** Charges whose request touches the edge of a day within so long may be on either side of it. */
export const GRACE_MS = 60_000;
