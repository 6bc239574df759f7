import { Conflict } from "../core/conflict.ts";
import { type AccountRow, addSums, type ChargeSum, type Mismatch, mismatchesOf, NO_CHARGES } from "./verify-account.ts";

/** Where a keyset scan goes on. */
export type Cursor = { keyId: string; id: string };
export type Chunk<Row> = { rows: Row[]; seen: number; next: Cursor | null };
type Scope = { cursor: Cursor; keyIds: readonly string[] | null };

/** Reads the books a piece at a time; each piece is one short statement and so one instant. */
export type VerifyStore = {
  /** An id below which no charge will be added any more: `usual`, unless a gateway's clock is behind; `certain`, however far it may be. */
  boundary: (which: "usual" | "certain") => Promise<string>;
  /** Charges with smaller ids than the boundary, added up per key. */
  charges: (scope: Scope & { before: string }) => Promise<Chunk<{ keyId: string; sum: ChargeSum }>>;
  /** Balances with their holds, fundings and the charges from the boundary on. */
  accounts: (scope: Scope & { from: string }) => Promise<Chunk<{ row: AccountRow; tail: ChargeSum }>>;
  /** Usage records that have no charge, or another cost than it. */
  records: (scope: Scope) => Promise<Chunk<Mismatch>>;
  /** Refunds that have no charge, or exceed it. */
  refunds: (scope: Scope) => Promise<Chunk<Mismatch>>;
  /** Open holds that were charged already, or whose key has no balance. */
  holds: (scope: Scope) => Promise<Chunk<Mismatch>>;
  /** How many holds are in quarantine; what they hold is held, so that the books can add up all the same. */
  quarantined: (keyIds: readonly string[] | null) => Promise<number>;
  /** Whether a piece failed because it was too large to be read in the time a statement may take. */
  tookTooLong: (error: unknown) => boolean;
};

export type VerifyPhase = "charges" | "keys" | "usage records" | "refunds" | "holds";
export type OnProgress = (progress: { phase: VerifyPhase; done: number }) => void;

export type VerifyReport = {
  ok: boolean;
  keys: number;
  holds: number;
  /** Of the holds, those that could not be ended and wait for an operator. */
  quarantined: number;
  charges: number;
  fundings: number;
  usageRecords: number;
  mismatches: readonly Mismatch[];
  /** True when there are more mismatches than are listed. */
  truncated: boolean;
};

/** Verifies all keys, or one. */
export type VerifyLedger = (keyId: string | null, onProgress: OnProgress) => Promise<VerifyReport>;

/** It reads every charge there is, so one at a time is enough. */
export function createVerifyLedger({ store }: { store: VerifyStore }): VerifyLedger {
  let verifying = false;
  return async (keyId, onProgress) => {
    if (verifying)
      throw new Conflict("A verification of the ledger is already running. Try again when it has finished.");
    verifying = true;
    try {
      return await verify(store, { keyIds: keyId === null ? null : [keyId], onProgress });
    } finally {
      verifying = false;
    }
  };
}

const MOST_MISMATCHES = 1_000;
const SUSPECTS_AT_ONCE = 1_000;
const START: Cursor = {
  keyId: "00000000-0000-0000-0000-000000000000",
  id: "00000000-0000-0000-0000-000000000000",
};

/**
 * Folds the journal and holds every balance against it. Old charges are added up beforehand, in pieces, because they cannot
 * change; the rest of a key is read at one instant. A charge that was late all the same makes its key look wrong, so what looks
 * wrong is looked at once more before it is reported.
 */
export async function verify(
  store: VerifyStore,
  { keyIds, onProgress }: { keyIds: readonly string[] | null; onProgress: OnProgress },
): Promise<VerifyReport> {
  const first = await foldKeys(store, { keyIds, onProgress, boundary: await store.boundary("usual") });
  const mismatches = first.ownerless.slice(0, MOST_MISMATCHES);
  const take = (found: readonly Mismatch[]): void => {
    mismatches.push(...found.slice(0, MOST_MISMATCHES - mismatches.length));
  };
  const suspects = [...new Set(first.mismatches.map(({ keyId }) => keyId))];
  while (suspects.length > 0 && mismatches.length < MOST_MISMATCHES) {
    take((await foldAgain(store, { keyIds: suspects.splice(0, SUSPECTS_AT_ONCE), onProgress })).mismatches);
  }

  const scan = async (phase: VerifyPhase, read: (scope: Scope) => Promise<Chunk<Mismatch>>): Promise<number> =>
    eachChunk((cursor) => read({ cursor, keyIds }), {
      take,
      onDone: (done) => onProgress({ phase, done }),
    });
  const records = await scan("usage records", store.records);
  await scan("refunds", store.refunds);
  await scan("holds", store.holds);

  return {
    ok: mismatches.length === 0,
    ...first.counts,
    quarantined: await store.quarantined(keyIds),
    usageRecords: records,
    mismatches,
    truncated: mismatches.length >= MOST_MISMATCHES,
  };
}

type Folded = {
  counts: Pick<VerifyReport, "keys" | "holds" | "charges" | "fundings">;
  mismatches: Mismatch[];
  /** Charges of keys that have no balance, which no delay can explain. */
  ownerless: Mismatch[];
};

type Fold = { keyIds: readonly string[] | null; onProgress: OnProgress };

/** Everything of these keys at one instant, which can be too much for one statement; then as much of it as may still change. */
async function foldAgain(store: VerifyStore, fold: Fold): Promise<Folded> {
  for (const boundary of [async () => START.id, () => store.boundary("certain")]) {
    try {
      return await foldKeys(store, { ...fold, boundary: await boundary() });
    } catch (error) {
      if (!store.tookTooLong(error)) throw error;
    }
  }
  return foldKeys(store, { ...fold, boundary: await store.boundary("usual") });
}

async function foldKeys(
  store: VerifyStore,
  { keyIds, onProgress, boundary }: Fold & { boundary: string },
): Promise<Folded> {
  const sums = new Map<string, ChargeSum>();
  await eachChunk((cursor) => store.charges({ cursor, keyIds, before: boundary }), {
    take: (rows) => {
      for (const { keyId, sum } of rows) sums.set(keyId, addSums(sums.get(keyId) ?? NO_CHARGES, sum));
    },
    onDone: (done) => onProgress({ phase: "charges", done }),
  });

  const counts = { keys: 0, holds: 0, charges: 0, fundings: 0 };
  const mismatches: Mismatch[] = [];
  await eachChunk((cursor) => store.accounts({ cursor, keyIds, from: boundary }), {
    take: (rows) => {
      for (const { row, tail } of rows) {
        const sum = addSums(sums.get(row.keyId) ?? NO_CHARGES, tail);
        sums.delete(row.keyId);
        counts.keys += 1;
        counts.holds += Number(row.holds);
        counts.charges += Number(sum.charges);
        counts.fundings += Number(row.fundings);
        mismatches.push(...mismatchesOf(row, sum));
      }
    },
    onDone: (done) => onProgress({ phase: "keys", done }),
  });
  const ownerless = [...sums].map(([keyId, { charges }]) => ({
    keyId,
    column: "charge",
    expected: "a balance",
    found: `none, but ${charges} of its charges`,
  }));
  return { counts, mismatches, ownerless };
}

/** Goes through a table from its beginning: how many rows were looked at. */
async function eachChunk<Row>(
  read: (cursor: Cursor) => Promise<Chunk<Row>>,
  { take, onDone }: { take: (rows: Row[]) => void; onDone: (done: number) => void },
): Promise<number> {
  let done = 0;
  for (let cursor: Cursor | null = START; cursor !== null;) {
    const chunk: Chunk<Row> = await read(cursor);
    take(chunk.rows);
    done += chunk.seen;
    onDone(done);
    cursor = chunk.next;
  }
  return done;
}
