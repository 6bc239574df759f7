import { createId } from "../../src/core/ids.ts";
import { NO_USAGE } from "../../src/core/money/usage.ts";
import type { Database, Queryable, Transaction } from "../../src/db/database.ts";
import { createLedgerStore } from "../../src/ledger/turn/ledger-store.ts";
import { createBalancesStore } from "../../src/ledger/verify/days/balances-store.ts";
import { createDayStore } from "../../src/ledger/verify/days/day-store.ts";
import { lookAtDay } from "../../src/ledger/verify/days/look-at-day.ts";
import { verify } from "../../src/ledger/verify/verify.ts";
import { askOf, creditsOf, endOf, type LoneKey, loneKey } from "../support/lone-key.ts";

export const DAY_MS = 86_400_000;
export const OLD_MS = Date.UTC(2026, 0, 5, 12);
export const TODAY_MS = OLD_MS + 2 * DAY_MS;
export const VERIFIER = createId(OLD_MS);
/** Three in and four out, at one credit for a million tokens of input and ten for output. */
const PRICE = 3_000n + 40_000n;

export type Books = { queryable: Queryable; credit: LoneKey; token: LoneKey; old: string; late: string };

export const setClock = (queryable: Queryable, ms: number): Promise<unknown> =>
  queryable.query("update test_clock set now = $1", [new Date(ms)]);

const rollUp = async (queryable: Queryable): Promise<void> => {
  const due = await queryable.query<{ hour: Date }>("select hour from rollup_due_v1(100) hour");
  for (const { hour } of due) await queryable.query("select rollup_v1($1)", [hour]);
  // Transactions of other databases of the server keep hours owed.
  await queryable.query("delete from rollup_owed where hour < (select max(hour) from rollup_owed)");
};

/** A request of a key, charged as its price says. */
export async function charge(queryable: Queryable, key: LoneKey, ms: number): Promise<string> {
  const ledger = createLedgerStore(queryable);
  const ask = askOf(key, { id: createId(ms), most: 100_000n });
  await ledger.admit(createId(ms), [ask]);
  await ledger.settle([settled(key, ask)]);
  return ask.id;
}

const settled = (key: LoneKey, ask: ReturnType<typeof askOf>) =>
  endOf(ask, {
    price: key.unit === "credit" ? PRICE : 7n,
    usage: { ...NO_USAGE, inputTokens: 3, outputTokens: 4 },
    record: { provider: "p", status: 200, firstByteMs: 1, tookMs: 2, estimated: false },
  });

/** Two keys with charges on an old day, the next and today; one request of the old day is still open. All sums are added up. */
export async function openBooks(database: Database): Promise<Omit<Books, "queryable">> {
  await setClock(database, OLD_MS);
  await database.query("update migration set applied_at = $1", [new Date(OLD_MS - DAY_MS)]);
  await database.query("delete from rollup_owed");
  await database.script(`
    insert into model (id, owned_by, provider, max_output_tokens) values ('m', 'a', 'p', 100000);
    insert into price (model_id, version, effective_from, input_nano, output_nano) values ('m', 1, now(), 1000000000, 10000000000);
    select partition_v1('2026-01-05'); select partition_v1('2026-01-06')`);
  const credit = await loneKey(database, { keyId: createId(OLD_MS), funds: 5_000_000_000n });
  const token = await loneKey(database, { keyId: createId(OLD_MS + 1), mode: "token_budget", funds: 100_000n });
  await database.query("select limit_v1($1, 'daily', 100000, 'day', 'test')", [token.counter]);
  const open = askOf(credit, { id: createId(OLD_MS + 5), most: 100_000n, lifetimeMs: 86_000_000 });
  await createLedgerStore(database).admit(createId(OLD_MS), [open]);
  const ids: string[] = [];
  for (const dayMs of [OLD_MS, OLD_MS + DAY_MS, TODAY_MS]) {
    await setClock(database, dayMs);
    for (const key of [credit, token]) for (let n = 0; n < 3; n++) ids.push(await charge(database, key, dayMs + n));
    await rollUp(database);
  }
  const [old = ""] = ids;
  const refund = { keyId: credit.keyId, reference: "back", about: old, amounts: creditsOf(10n), actor: "test" };
  await createLedgerStore(database).refund(refund);
  await setClock(database, TODAY_MS + 1);
  await database.query("select verify_turn_v1($1, 86400000)", [VERIFIER]);
  return { credit, token, old, late: open.id };
}

/** Settles the request of the old day that is still open. */
export async function settleLate({ queryable, credit, late }: Books): Promise<void> {
  const ask = askOf(credit, { id: late, most: 100_000n });
  await createLedgerStore(queryable).settle([settled(credit, ask)]);
}

/** Everything once: each day, and then the balances. What is wrong, as text. */
export async function lookAtAll(queryable: Queryable): Promise<string[]> {
  const store = createDayStore(queryable);
  const found: string[] = [];
  const note = (where: string, { column, expected, found: is }: { column: string; expected: string; found: string }) =>
    found.push(`${where}: ${column} is ${is}, not ${expected}`);
  const { nowMs, days } = await store.days();
  for (const day of days)
    await lookAtDay(day, nowMs, {
      store,
      processId: VERIFIER,
      elapsedMs: () => 0,
      workedMs: () => 0,
      onMismatches: (wrong) => wrong.forEach((one) => note("day", one)),
      onKept: () => Promise.resolve(),
    });
  const listed = await store.days();
  const report = await verify(createBalancesStore(queryable, listed.days), {
    keyId: null,
    recompute: false,
    onProgress: () => undefined,
  });
  for (const one of report.mismatches) note("balances", one);
  await store.endRound(VERIFIER, {
    verifiedAtMs: nowMs,
    mismatches: report.mismatches.length,
    found: report.mismatches,
  });
  return found;
}

/** Does something forbidden and undoes it after what is to be tried then. */
export async function undone<Result>(database: Database, work: (tx: Transaction) => Promise<Result>): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const undo = new Error("undo");
  promise.catch(() => undefined);
  await database
    .transaction(async (tx) => {
      await work(tx).then(resolve, reject);
      throw undo;
    })
    .catch((error: unknown) => {
      if (error !== undo) reject(error);
    });
  return promise;
}
