import { createId } from "../../src/core/ids.ts";
import { sqlStateOf } from "../../src/db/database-error.ts";
import type { Database, Queryable } from "../../src/db/database.ts";
import type { Ask } from "../../src/ledger/ledger.ts";
import { createLedgerStore } from "../../src/ledger/turn/ledger-store.ts";
import { askOf, endOf, loneKey } from "../support/lone-key.ts";
import { until } from "../support/until.ts";
import { refusalOf } from "./observe.ts";

const WAITING = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
const LOCK_BALANCES = "select from balance where key_id = any ($1::uuid[]) order by key_id for no key update";

/** A turn that ends two requests meets one who has locked their balance and then wants their holds. Answers the states of what failed. */
export async function tryLockOrder(database: Database): Promise<string[]> {
  const key = await loneKey(database, { funds: 100n });
  const ledger = createLedgerStore(database);
  const asks = [askOf(key), askOf(key)];
  await ledger.turn(createId(1), { settlements: [], asks });
  return meet(database, {
    first: (tx) => tx.query(LOCK_BALANCES, [[key.keyId]]),
    call: () => ledger.turn(createId(1), { settlements: asks.map((ask) => endOf(ask)), asks: [] }),
    last: (tx) =>
      tx.query("select from hold where id = any ($1::uuid[]) order by id for update", [asks.map(({ id }) => id)]),
  });
}

/** A turn of two keys meets one who has locked the first of their balances and then wants the second. */
export async function tryBalanceOrder(database: Database): Promise<string[]> {
  const [low, high] = [createId(Date.now()), createId(Date.now() + 1)];
  const asks: Ask[] = [];
  for (const keyId of [high, low]) asks.push(askOf(await loneKey(database, { keyId, funds: 100n })));
  return meet(database, {
    first: (tx) => tx.query(LOCK_BALANCES, [[low]]),
    call: () => createLedgerStore(database).turn(createId(1), { settlements: [], asks }),
    last: (tx) => tx.query(LOCK_BALANCES, [[high]]),
  });
}

/** The same for the counters of a chain, whose order is the opposite one. */
export async function tryCounterOrder(database: Database): Promise<string[]> {
  const key = await loneKey(database, { funds: 100n });
  const account = createId(Date.now());
  await database.query("select account_open_v1($1, null, $2, 'team', $3)", [account, `t ${account}`, key.bucket]);
  const counters: number[] = [];
  for (const period of ["day", "month"]) {
    const open = "select counter from counter_open_v1($1, null, 'limit', 'credit', 1000, $2, null, 'test')";
    const [row] = await database.query<{ counter: number }>(open, [account, period]);
    if (row) counters.push(row.counter);
  }
  const [low, high] = counters.sort((one, other) => one - other);
  const lock = "select from counter where id = $1 for no key update";
  return meet(database, {
    first: (tx) => tx.query(lock, [high]),
    call: () => database.query("select locked($1::uuid[], $2::int[])", [[key.keyId], [low, high]]),
    last: (tx) => tx.query(lock, [low]),
  });
}

/** A refund to a purse that was closed meets one who has locked the purse that pays now, and then wants the closed one. */
export async function tryGivenBackOrder(database: Database): Promise<string[]> {
  const key = await loneKey(database, { funds: 10n });
  const ledger = createLedgerStore(database);
  const ask = askOf(key);
  await ledger.turn(createId(1), { settlements: [], asks: [ask] });
  await ledger.turn(createId(1), { settlements: [endOf(ask, { price: 10n })], asks: [] });
  const account = createId(Date.now());
  await database.query("select account_open_v1($1, null, $2, 'team', $3)", [account, `t ${account}`, key.bucket]);
  const [purse] = await database.query<{ counter: number }>(
    "select counter from counter_open_v1($1, null, 'purse', 'credit', 0, 'none', null, 'test')",
    [account],
  );
  await database.query("select adopt_v1($1, $2)", [key.keyId, account]);
  const lock = "select from counter where id = $1 for no key update";
  return meet(database, {
    first: (tx) => tx.query(lock, [purse?.counter]),
    call: () => ledger.void([{ id: ask.id, keyId: key.keyId, bucket: key.bucket, contentDelivered: true }]),
    last: (tx) => tx.query(lock, [key.counter]),
  });
}

/** Two payments into one purse; the second comes while the first is under way. */
export async function tryTwoPayments(database: Database): Promise<string[]> {
  const { counter } = await loneKey(database);
  const pay = (queryable: Queryable, reference: string) =>
    queryable.query("select fund_v1($1, $2, 'purchase', 100, 'test')", [counter, reference]);
  return meet(database, {
    first: (tx) => pay(tx, "first"),
    call: () => pay(database, "second"),
    last: async () => undefined,
  });
}

type Meeting = {
  first: (tx: Queryable) => Promise<unknown>;
  call: () => Promise<unknown>;
  last: (tx: Queryable) => Promise<unknown>;
};

/** One transaction has done its first half when another call begins, and does the second when that one waits. Answers the rules or states of what failed. */
async function meet(database: Database, { first, call, last }: Meeting): Promise<string[]> {
  const failed: string[] = [];
  const note = (error: unknown): void =>
    void failed.push(sqlStateOf(error) === null ? String(error) : refusalOf(error));
  let calling: Promise<unknown> = Promise.resolve();
  const other = database.transaction(async (tx) => {
    await first(tx);
    calling = call().catch(note);
    await until(async () => (await database.query(WAITING)).length === 1, "the call waits");
    await last(tx);
  });
  await other.catch(note);
  await calling;
  return failed;
}
