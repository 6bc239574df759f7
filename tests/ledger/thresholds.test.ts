import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createId } from "../../src/core/ids.ts";
import type { Database } from "../../src/db/database.ts";
import { createPostgres } from "../../src/db/postgres/postgres.ts";
import { createLedgerStore } from "../../src/ledger/turn/ledger-store.ts";
import type { Ask, Ledger, Settlement } from "../../src/ledger/ledger.ts";
import { askOf, endOf, type LoneKey, loneKey, readLoneKey } from "../support/lone-key.ts";
import { freshDatabase, whyUnavailable } from "../support/postgres.ts";

const reason = whyUnavailable("15");
const PROCESS = createId(Date.now());

let database: Database;
let ledger: Ledger;
let url: string;
let close = async (): Promise<void> => undefined;

beforeAll(async () => {
  if (reason !== null) return;
  const fresh = await freshDatabase();
  url = fresh.url;
  database = open(8);
  ledger = createLedgerStore(database);
  close = async () => {
    await database.close();
    await fresh.close();
  };
});
afterAll(() => close());

const open = (poolSize: number): Database =>
  createPostgres({ url, poolSize, connectTimeoutMs: 10_000, statementTimeoutMs: 30_000, onError: () => undefined });

/** Charges exactly so much, in one request. */
async function spend(key: LoneKey, amount: bigint): Promise<string> {
  const ask = askOf(key, { least: amount, most: amount });
  const [verdict] = await ledger.admit(PROCESS, [ask]);
  expect(verdict).toMatchObject({ kind: "admitted" });
  const [settled] = await ledger.settle([endOf(ask, { price: amount })]);
  expect(settled).toMatchObject({ kind: "settled" });
  return ask.id;
}

/** Asks for so much and is refused. */
async function refused(key: LoneKey, amount: bigint): Promise<string | undefined> {
  const [verdict] = await ledger.admit(PROCESS, [askOf(key, { least: amount, most: amount })]);
  if (verdict?.kind === "insufficient" || verdict?.kind === "limit_reached")
    await ledger.refused({ counter: verdict.named.id, little: false });
  return verdict?.kind;
}

async function notices(counter: number): Promise<string[]> {
  const rows = await database.query<{ text: string }>(
    `select value || case kind when 'percent' then '%' else ' left' end || ' ' || cause || ' at ' || used || '/' || amount as text
       from notice where counter = $1 order by no`,
    [counter],
  );
  return rows.map(({ text }) => text);
}

const limitTo = (counter: number, amount: bigint) =>
  ledger.setLimit({ counter, reference: createId(Date.now()), amount, period: "month", actor: "test" });

const fund = (counter: number, amount: bigint) =>
  ledger.fund({
    counter,
    reference: createId(Date.now()),
    kind: amount > 0n ? "grant" : "adjust",
    amount,
    actor: "test",
  });

const watch = async (counter: number, marks: number[] | null): Promise<string | undefined> => {
  const [row] = await database.query<{ result: string }>("select thresholds_v1($1, $2::bigint[]) as result", [
    counter,
    marks,
  ]);
  return row?.result;
};

/** A team with a limit that its keys share; they have no counters of their own. */
async function team(amount: bigint, keys: number): Promise<{ counter: number; keys: LoneKey[] }> {
  const id = createId(Date.now());
  await database.query("insert into account (id, bucket, path, name) values ($1, 7, array[$1::uuid], $2)", [id, id]);
  const [row] = await database.query<{ id: number }>(
    "insert into counter (bucket, account_id, kind, unit, period) values (7, $1, 'limit', 'credit', 'month') returning id",
    [id],
  );
  if (!row) throw new Error("a counter has an id");
  await limitTo(row.id, amount);
  const made = Array.from({ length: keys }, async () => {
    const keyId = createId(Date.now());
    await database.query("insert into key (id, bucket, mode, account_id) values ($1, 7, 'credit', $2)", [keyId, id]);
    const key = await readLoneKey(database, keyId);
    return { ...key, chain: { ...key.chain, counters: [row.id] } };
  });
  return { counter: row.id, keys: await Promise.all(made) };
}

describe.skipIf(reason !== null)("thresholds", () => {
  test("a limit tells at 80 and at 100 percent, once in each period", async () => {
    const key = await loneKey(database, { mode: "token_budget", funds: 100n });

    await spend(key, 79n);
    expect(await notices(key.counter)).toEqual([]);
    await spend(key, 1n);
    expect(await notices(key.counter)).toEqual(["80% used at 80/100"]);
    await spend(key, 19n);
    await spend(key, 1n);
    expect(await notices(key.counter)).toEqual(["80% used at 80/100", "100% used at 100/100"]);
    expect(await refused(key, 1n)).toBe("limit_reached");
    expect(await notices(key.counter)).toHaveLength(2);

    await database.query("update balance set period_ends_at = now() - interval '1 second' where key_id = $1", [
      key.keyId,
    ]);
    await spend(key, 85n);
    expect((await notices(key.counter)).slice(2)).toEqual(["80% used at 85/100"]);
  });

  test("one charge that passes two thresholds writes two notices, the lower first", async () => {
    const key = await loneKey(database, { mode: "token_budget", funds: 100n });

    await spend(key, 100n);

    expect(await notices(key.counter)).toEqual(["80% used at 100/100", "100% used at 100/100"]);
  });

  test("a refusal with less than a hundredth left counts as 100 percent; with more, the request was too large, which silences nothing", async () => {
    const key = await loneKey(database, { mode: "token_budget", funds: 1_000n });
    await spend(key, 700n);

    for (const amount of [400n, 301n]) expect(await refused(key, amount)).toBe("insufficient");
    expect(await notices(key.counter)).toEqual(["-1% too_large at 700/1000"]);
    await spend(key, 290n);
    expect(await refused(key, 11n)).toBe("insufficient");
    expect(await notices(key.counter)).toEqual(["-1% too_large at 700/1000", "80% used at 990/1000"]);

    await spend(key, 1n);
    for (const amount of [10n, 400n]) expect(await refused(key, amount)).toBe("insufficient");
    expect((await notices(key.counter)).slice(2)).toEqual(["100% refused at 991/1000"]);
    await spend(key, 9n);
    expect(await notices(key.counter)).toHaveLength(3);
  });

  test("a refusal of a request that asks for little counts as 100 percent, however much is left", async () => {
    const key = await loneKey(database, { mode: "token_budget", funds: 1_000n });
    expect(await refused(key, 2_000n)).toBe("insufficient");

    const refusal = { counter: key.counter, little: true };
    await Promise.all([ledger.refused(refusal), ledger.refused(refusal)]);
    expect(await notices(key.counter)).toEqual(["-1% too_large at 0/1000", "100% refused at 0/1000"]);
    expect(await refused(key, 2_000n)).toBe("insufficient");
    expect(await notices(key.counter)).toHaveLength(2);
  });

  test("money that other requests hold is not a limit that was reached", async () => {
    const key = await loneKey(database, { mode: "token_budget", funds: 100n });
    await ledger.admit(PROCESS, [askOf(key, { least: 90n, most: 90n })]);

    expect(await refused(key, 50n)).toBe("reserved");

    expect(await notices(key.counter)).toEqual([]);
  });

  test("a refund does not arm a threshold again, and what it gave back must be used again", async () => {
    const key = await loneKey(database, { mode: "token_budget", funds: 100n });
    const id = await spend(key, 60n);
    await ledger.refund({
      keyId: key.keyId,
      reference: "r1",
      about: id,
      amounts: { credits: null, tokens: 30n },
      actor: "test",
    });
    await spend(key, 49n);
    expect(await notices(key.counter)).toEqual([]);
    const last = await spend(key, 1n);
    expect(await notices(key.counter)).toEqual(["80% used at 80/100"]);

    await ledger.refund({
      keyId: key.keyId,
      reference: "r2",
      about: last,
      amounts: { credits: null, tokens: 1n },
      actor: "test",
    });
    await spend(key, 5n);
    expect(await notices(key.counter)).toEqual(["80% used at 80/100"]);
  });

  test("a changed limit arms its thresholds again, the same amount does not", async () => {
    const key = await loneKey(database, { mode: "token_budget", funds: 100n });
    await spend(key, 85n);

    await limitTo(key.counter, 100n);
    expect(await notices(key.counter)).toEqual(["80% used at 85/100"]);
    await limitTo(key.counter, 200n);
    expect(await notices(key.counter)).toHaveLength(1);
    await limitTo(key.counter, 90n);
    expect((await notices(key.counter)).slice(1)).toEqual(["80% used at 85/90"]);
    await limitTo(key.counter, 50n);
    expect((await notices(key.counter)).slice(2)).toEqual(["80% used at 85/50", "100% used at 85/50"]);
  });

  test("a purse tells when it is empty, by a charge or a refusal, and again after it was paid into", async () => {
    const key = await loneKey(database, { funds: 100n });
    await spend(key, 95n);
    expect(await notices(key.counter)).toEqual([]);
    expect(await refused(key, 6n)).toBe("insufficient");
    expect(await refused(key, 6n)).toBe("insufficient");
    expect(await notices(key.counter)).toEqual(["-1 left too_large at 95/100"]);
    await spend(key, 5n);
    expect((await notices(key.counter)).slice(1)).toEqual(["0 left left at 100/100"]);

    await fund(key.counter, 10n);
    await spend(key, 10n);
    expect((await notices(key.counter)).slice(2)).toEqual(["0 left left at 110/110"]);
  });

  test("what is left of a purse is held against what was last paid in, and not against all that ever was", async () => {
    const key = await loneKey(database, { funds: 100_000n });
    await spend(key, 99_990n);
    await fund(key.counter, 490n);
    expect(await refused(key, 501n)).toBe("insufficient");
    expect(await notices(key.counter)).toEqual(["-1 left too_large at 99990/100490"]);

    await spend(key, 496n);
    expect(await refused(key, 5n)).toBe("insufficient");
    expect((await notices(key.counter)).slice(1)).toEqual(["0 left refused at 100486/100490"]);
  });

  test("a purse tells at amounts left; those above what it has wait until it has had more", async () => {
    const key = await loneKey(database, { funds: 100n });
    expect(await watch(key.counter, [50, 20, 500])).toBe("set");
    await spend(key, 50n);
    await spend(key, 1n);
    await spend(key, 40n);
    expect(await notices(key.counter)).toEqual(["50 left left at 50/100", "20 left left at 91/100"]);

    await fund(key.counter, 21n);
    await spend(key, 10n);
    expect((await notices(key.counter)).slice(2)).toEqual(["20 left left at 101/121"]);
    await fund(key.counter, -5n);
    expect(await notices(key.counter)).toHaveLength(3);
    await fund(key.counter, 1000n);
    await fund(key.counter, -600n);
    expect((await notices(key.counter)).slice(3)).toEqual(["500 left left at 101/516"]);
  });

  test("an empty list is silence, the usual one comes back, and what a limit has passed fires at once", async () => {
    const key = await loneKey(database, { mode: "token_budget", funds: 100n });
    await watch(key.counter, []);
    await spend(key, 60n);
    expect(await refused(key, 50n)).toBe("insufficient");
    expect(await notices(key.counter)).toEqual([]);

    await watch(key.counter, [50, 90]);
    expect(await notices(key.counter)).toEqual(["50% used at 60/100"]);
    await watch(key.counter, null);
    await spend(key, 20n);
    expect((await notices(key.counter)).slice(1)).toEqual(["80% used at 80/100"]);
    await expect(watch(key.counter, [101])).rejects.toThrow("1 to 100");
    expect(await watch(999_999, [1])).toBe("unknown_counter");
  });

  test("a key that never had funds, and a limit of 0, are not told about", async () => {
    const credit = await loneKey(database);
    const tokens = await loneKey(database, { mode: "token_budget" });

    expect(await refused(credit, 1n)).toBe("insufficient");
    expect(await refused(tokens, 1n)).toBe("limit_reached");

    expect(await notices(credit.counter)).toEqual([]);
    expect(await notices(tokens.counter)).toEqual([]);
  });

  test("10,000 settlements that race across 80 percent of a team's limit write one notice, with connections killed in between", async () => {
    const { counter, keys } = await team(11_000n, 10);
    const asks = Array.from({ length: 10_000 }, (_, n) => askOf(keys[n % 10] as LoneKey, { least: 1n, most: 1n }));
    for (const some of chunks(asks, 250)) await ledger.admit(PROCESS, some);
    const batches = chunks(
      asks.map((ask) => endOf(ask, { price: 1n })),
      50,
    );

    const killer = open(1);
    let racing = true;
    const killing = (async () => {
      while (racing) {
        await delay(100);
        await killer.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and pid <> pg_backend_pid() and state = 'active' and query like '%turn_v_%'
            order by random() limit 1`,
        );
      }
    })();
    let failures = 0;
    /** A connection that was lost is a batch that is sent again. */
    const settleAgain = async (batch: Settlement[]): Promise<void> => {
      for (let tries = 1; ; tries += 1) {
        const settled = await ledger.settle(batch).catch((error: unknown) => {
          failures += 1;
          if (tries === 1_000) throw error;
        });
        if (!settled) continue;
        expect(settled.filter(({ kind }) => kind !== "settled" && kind !== "already")).toEqual([]);
        return;
      }
    };
    await Promise.all(Array.from({ length: 8 }, () => inTurn(batches, settleAgain)));
    racing = false;
    await killing;
    await killer.close();

    expect(failures).toBeGreaterThan(0);
    const [{ used } = { used: 0n }] = await database.query<{ used: bigint }>("select used from counter where id = $1", [
      counter,
    ]);
    expect(used).toBe(10_000n);
    const written = await notices(counter);
    expect(written).toHaveLength(1);
    expect(written[0]).toMatch(/^80% used at 88\d\d\/11000$/);
  });

  test("4,000 requests that race against a limit which refuses most of them write one notice at 100 percent", async () => {
    const { counter, keys } = await team(1_000n, 10);
    await watch(counter, [100]);
    const asks = Array.from({ length: 4_000 }, (_, n) => askOf(keys[n % 10] as LoneKey, { least: 7n, most: 7n }));

    const held: Ask[] = [];
    const ask = async (some: Ask[]): Promise<void> => {
      const verdicts = await ledger.admit(PROCESS, some);
      if (verdicts.some(({ kind }) => kind === "insufficient")) await ledger.refused({ counter, little: false });
      held.push(...some.filter((_, index) => verdicts[index]?.kind === "admitted"));
    };
    const racing = async (some: Ask[][]) => Promise.all(Array.from({ length: 8 }, () => inTurn(some, ask)));
    await racing(chunks(asks, 40));
    expect(held).toHaveLength(142);
    expect(await notices(counter)).toEqual([]);
    await ledger.settle(held.map((ask) => endOf(ask, { price: 7n })));
    await racing(chunks(asks.map(again), 40));

    expect(await notices(counter)).toEqual(["100% refused at 994/1000"]);
  });
});

const again = (ask: Ask): Ask => ({ ...ask, id: createId(Date.now()) });

/** Takes from the list until it is empty; several at once race. */
async function inTurn<Item>(items: Item[], work: (item: Item) => Promise<void>): Promise<void> {
  for (let item = items.shift(); item !== undefined; item = items.shift()) await work(item);
}

function chunks<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, n) => items.slice(n * size, (n + 1) * size));
}
