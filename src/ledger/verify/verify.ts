import { Conflict } from "../../core/conflict.ts";
import {
  type ChainSum,
  type CounterRow,
  counterMismatches,
  Fold,
  type FundingSum,
  goneMismatches,
  type KeyRow,
  keyMismatches,
  type Mismatch,
  type Read,
} from "./verify-fold.ts";

/** Where a keyset scan goes on: after these values. */
export type Cursor = readonly (string | number)[];
export type Chunk<Row> = { rows: Row[]; seen: number; next: Cursor | null };

/** Counters and keys of one instant, which is told by the transactions that it knew of. */
export type Moment = { counters: CounterRow[]; keys: KeyRow[]; snapshot: string; next: Cursor | null };

/** How the journal is added up: by which instants, between which beginnings of periods, and of which key alone. */
export type View = { snapshots: readonly string[]; boundaries: readonly string[]; key: VerifiedKey | null };
export type VerifiedKey = { keyId: string; keyNo: number; counter: number | null };

/** What is held against each other row by row, within the statement that reads it. */
export const CHECKS = ["refunds", "holds", "operator losses", "chains"] as const;
export type BooksCheck = (typeof CHECKS)[number];

/** Reads the books a piece at a time; each piece is one short statement and so one instant. */
export type VerifyStore = {
  key: (keyId: string) => Promise<VerifiedKey>;
  balances: (after: Cursor | null, key: VerifiedKey | null) => Promise<Moment>;
  counters: (after: Cursor | null) => Promise<Moment>;
  charges: (after: Cursor | null, view: View) => Promise<Chunk<ChainSum>>;
  /** As changes of the sums of charges: what is refunded, and what was undone and counts no more. */
  refunds: (after: Cursor | null, view: View) => Promise<Chunk<ChainSum>>;
  fundings: (after: Cursor | null, view: View) => Promise<Chunk<FundingSum>>;
  chains: (
    after: Cursor | null,
    key: VerifiedKey | null,
  ) => Promise<Chunk<{ id: number; own: number; counters: number[] }>>;
  check: (which: BooksCheck, after: Cursor | null, key: VerifiedKey | null) => Promise<Chunk<Mismatch>>;
  /** Charges whose amount is not what their price and their counts come to. */
  recompute: (after: Cursor | null, key: VerifiedKey | null) => Promise<Chunk<Mismatch>>;
  /** Sums by the hour and by the day that are not those of the charges; `after` and `next` are hours. */
  rollups: (after: Cursor | null) => Promise<Chunk<Mismatch>>;
  /** How many holds are in quarantine; what they hold is held, so that the books can add up all the same. */
  quarantined: (key: VerifiedKey | null) => Promise<number>;
};

export type VerifyPhase = "keys" | "counters" | "charges" | "fundings" | "amounts" | "usage sums" | BooksCheck;
export type OnProgress = (progress: { phase: VerifyPhase; done: number }) => void;

export type VerifyReport = {
  ok: boolean;
  keys: number;
  counters: number;
  holds: number;
  /** Of the holds, those that could not be ended and wait for an operator. */
  quarantined: number;
  charges: number;
  fundings: number;
  /** Charges whose amount was computed anew; 0 when that was not asked for. */
  recomputed: number;
  mismatches: readonly Mismatch[];
  /** True when there are more mismatches than are listed. */
  truncated: boolean;
};

/** What is verified: one key or all, and whether amounts are computed anew. */
export type VerifyScope = { keyId: string | null; recompute: boolean };
export type VerifyLedger = (scope: VerifyScope, onProgress: OnProgress) => Promise<VerifyReport>;

/** It reads every charge there is, so one at a time is enough. */
export function createVerifyLedger({ store }: { store: VerifyStore }): VerifyLedger {
  let verifying = false;
  return async (scope, onProgress) => {
    if (verifying)
      throw new Conflict("A verification of the ledger is already running. Try again when it has finished.");
    verifying = true;
    try {
      return await verify(store, { ...scope, onProgress });
    } finally {
      verifying = false;
    }
  };
}

const MOST_MISMATCHES = 1_000;

/**
 * Folds the journal and holds every counter and every key against it. Counters are read first, each at an instant that says which
 * transactions it knew of; the journal only grows, so what it had then is added up afterwards, in pieces, while others go on writing.
 */
export async function verify(
  store: VerifyStore,
  { keyId, recompute, onProgress }: VerifyScope & { onProgress: OnProgress },
): Promise<VerifyReport> {
  const key = keyId === null ? null : await store.key(keyId);
  const mismatches: Mismatch[] = [];
  const take = (found: readonly Mismatch[]): void => {
    mismatches.push(...found.slice(0, MOST_MISMATCHES - mismatches.length));
  };
  const told =
    (phase: VerifyPhase) =>
    (done: number): void =>
      onProgress({ phase, done });
  const scan = (phase: VerifyPhase, read: (after: Cursor | null) => Promise<Chunk<Mismatch>>): Promise<number> =>
    eachChunk(read, { take, onDone: told(phase) });

  const folded = await foldAll(store, key, told);
  take(folded.mismatches);
  for (const which of CHECKS) await scan(which, (after) => store.check(which, after, key));
  if (key === null) await scan("usage sums", store.rollups);
  const recomputed = recompute ? await scan("amounts", (after) => store.recompute(after, key)) : 0;

  return {
    ok: mismatches.length === 0,
    ...folded.counts,
    quarantined: await store.quarantined(key),
    recomputed,
    mismatches,
    truncated: mismatches.length >= MOST_MISMATCHES,
  };
}

type Folded = {
  counts: Pick<VerifyReport, "keys" | "counters" | "holds" | "charges" | "fundings">;
  mismatches: Mismatch[];
};
type Told = (phase: VerifyPhase) => (done: number) => void;

async function foldAll(store: VerifyStore, key: VerifiedKey | null, told: Told): Promise<Folded> {
  const { counters, keys, snapshots } = await readMoments(store, key, told);
  const starts = counters.flatMap(({ row }) => (row.periodFrom === null ? [] : [row.periodFrom]));
  const boundaries = [...new Set(starts)].toSorted();
  const view: View = { snapshots, boundaries, key };
  const fold = new Fold(boundaries);

  const addCharges = (sums: ChainSum[]): void => fold.addCharges(sums);
  const charges = await eachChunk((after) => store.charges(after, view), { take: addCharges, onDone: told("charges") });
  await eachChunk((after) => store.refunds(after, view), { take: addCharges, onDone: told("refunds") });
  const fundings = await eachChunk((after) => store.fundings(after, view), {
    take: (sums) => fold.addFundings(sums),
    onDone: told("fundings"),
  });
  await eachChunk((after) => store.chains(after, key), {
    take: (chains) => {
      for (const chain of chains) fold.addChain(chain);
    },
    onDone: told("chains"),
  });

  const known = new Set(counters.map(({ row }) => row.id));
  const gone = key === null ? [...fold.counters()].filter((id) => !known.has(id)) : [];
  const mismatches = [
    ...counters.flatMap((read) => counterMismatches(fold, read)),
    ...keys.flatMap((read) => keyMismatches(fold, read)),
    ...gone.flatMap((id) => goneMismatches(fold, id, snapshots.length)),
  ];
  const holds = keys.reduce((sum, { row }) => sum + Number(row.holds), 0);
  return { counts: { keys: keys.length, counters: counters.length, holds, charges, fundings }, mismatches };
}

/** All counters and all keys, or those of one key, each with the number of the instant at which it was read. */
async function readMoments(store: VerifyStore, key: VerifiedKey | null, told: Told) {
  const counters: Read<CounterRow>[] = [];
  const keys: Read<KeyRow>[] = [];
  const snapshots: string[] = [];
  const readAll = async (read: (after: Cursor | null) => Promise<Moment>, phase: VerifyPhase): Promise<void> => {
    for (let after: Cursor | null = null; ;) {
      const moment = await read(after);
      snapshots.push(moment.snapshot);
      counters.push(...moment.counters.map((row) => ({ row, instant: snapshots.length })));
      keys.push(...moment.keys.map((row) => ({ row, instant: snapshots.length })));
      told(phase)(phase === "keys" ? keys.length : counters.length);
      if (moment.next === null) return;
      after = moment.next;
    }
  };
  await readAll((after) => store.balances(after, key), "keys");
  if (key === null) await readAll(store.counters, "counters");
  return { counters, keys, snapshots };
}

/** Goes through a table from its beginning: how many rows were looked at. */
async function eachChunk<Row>(
  read: (after: Cursor | null) => Promise<Chunk<Row>>,
  { take, onDone }: { take: (rows: Row[]) => void; onDone: (done: number) => void },
): Promise<number> {
  let done = 0;
  for (let after: Cursor | null = null; ;) {
    const { rows, seen, next } = await read(after);
    take(rows);
    done += seen;
    onDone(done);
    if (next === null) return done;
    after = next;
  }
}
