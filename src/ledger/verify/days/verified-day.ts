import type { Mismatch } from "../verify-fold.ts";

/** What charges of one chain and key that were admitted on one day come to; amounts as text, so that it can be kept as JSON. */
export type DaySum = {
  chain: number;
  key_no: number;
  /** Counts days since 1970. */
  admitted: number;
  charges: string;
  requests: string;
  credits: string;
  tokens: string;
  input: string;
  output: string;
};

/** A look at a day that is under way. It is kept, so that whoever comes next goes on with it. */
export type Pass = {
  beganMs: number;
  /** What was charged before this moment is final. */
  untilMs: number;
  /** The id to go on from. */
  from: string;
  charges: number;
  /** The chain of digests of the rows so far, in hex. */
  digest: string;
  /** The same of those that were in the digest that was kept before. */
  before: { charges: number; digest: string } | null;
  sums: DaySum[];
  mismatches: number;
  found: Mismatch[];
  tookMs: number;
};

/** What is kept of a day. `number` counts days since 1970. */
export type VerifiedDay = {
  number: number;
  untilMs: number;
  charges: number;
  /** Null: no look at it has ended. */
  digest: string | null;
  verifiedAtMs: number | null;
  tookMs: number;
  mismatches: number;
  found: readonly Mismatch[];
  pass: Pass | null;
};

export type VerificationState = {
  /** Everything that was written before this moment is verified; null: not yet. */
  verifiedAtMs: number | null;
  /** Of all days and of the balances. */
  mismatches: number;
  /** The first mismatches of the balances. */
  found: readonly Mismatch[];
  days: number;
  /** Days that no look has ended at yet. */
  pending: number;
  /** When the day was looked at that waits longest for another look. */
  oldestMs: number | null;
};

/** What is kept of a look that has ended. Null for `kept`: the day is not what it was, and what is there stays as evidence. */
export type EndedLook = Pick<Pass, "beganMs" | "tookMs" | "mismatches" | "found"> & {
  kept: Pick<Pass, "untilMs" | "charges" | "digest" | "sums"> | null;
};

/** A piece of a day's charges, in the order of their ids. */
export type DayPiece = {
  rows: number;
  last: string | null;
  /** Of each row that was charged before the end, its digest in hex, and whether it was there in time for the one before. */
  digests: readonly { digest: string; before: boolean }[];
};

/** Ids from the first on, and below the last. */
export type DayRange = { from: string; before: string };
/** Ids from the first to the last. */
export type PieceRange = { from: string; last: string };

export type DayStore = {
  /** Takes or renews the turn of this process for so long; 0 gives it back. */
  takeTurn: (processId: string, forMs: number) => Promise<boolean>;
  /** The newest first. */
  days: () => Promise<{ nowMs: number; days: VerifiedDay[] }>;
  state: () => Promise<VerificationState>;
  piece: (range: DayRange, until: { nowMs: number; beforeMs: number | null }) => Promise<DayPiece>;
  sums: (range: PieceRange, untilMs: number) => Promise<DaySum[]>;
  recompute: (range: PieceRange) => Promise<Mismatch[]>;
  /** What the sums by the hour and by the day of that day differ in from its charges. */
  usageSums: (day: number) => Promise<Mismatch[]>;
  keepPass: (processId: string, day: number, pass: Pass) => Promise<void>;
  endLook: (processId: string, day: number, look: EndedLook) => Promise<void>;
  endRound: (
    processId: string,
    round: { verifiedAtMs: number | null; mismatches: number; found: readonly Mismatch[] },
  ) => Promise<void>;
};

const DAY_MS = 86_400_000;

export const startOf = (day: number): number => day * DAY_MS;
export const dayOf = (ms: number): number => Math.floor(ms / DAY_MS);
/** As people write it: 2026-01-05. */
export const nameOf = (day: number): string => new Date(startOf(day)).toISOString().split("T")[0] ?? "";

/** The smallest id of an instant. */
export const firstIdOf = (ms: number): string => {
  const hex = Math.max(0, ms).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
};

export const idsOf = (day: number): DayRange => ({
  from: firstIdOf(startOf(day)),
  before: firstIdOf(startOf(day + 1)),
});

export const idAfter = (id: string): string => {
  const hex = (BigInt(`0x${id.replaceAll("-", "")}`) + 1n).toString(16).padStart(32, "0");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
};
