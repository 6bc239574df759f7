import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { commandSequence, namesOf } from "../../../tests/ledger/commands.ts";
import { databaseTarget } from "../../../tests/ledger/database-target.ts";
import { drive, openKeys, rest } from "../../../tests/ledger/drive.ts";
import { ENGINES } from "../../../tests/ledger/engines.ts";
import { askOf, creditsOf, endOf, type LoneKey, loneKey } from "../../../tests/support/lone-key.ts";
import { createId, requestIdOf } from "../../core/ids.ts";
import { NO_USAGE } from "../../core/money/usage.ts";
import type { Database, Queryable, Transaction } from "../../db/database.ts";
import { createLedgerStore } from "../turn/ledger-store.ts";
import { createVerifyStore } from "./verify-store.ts";
import { verify, type VerifyReport } from "./verify.ts";
import { runSeed } from "../../../tests/support/run-seed.ts";

const SEED = runSeed();
const NOON_MS = Date.UTC(2026, 0, 5, 12);

const verified = (queryable: Queryable, keyId: string | null = null, recompute = false): Promise<VerifyReport> =>
  verify(createVerifyStore(queryable), { keyId, recompute, onProgress: () => undefined });

describe.each(ENGINES)("$name", ({ reason, open, runs }) => {
  let database: Database;
  let close: () => Promise<void> = async () => undefined;
  beforeAll(async () => {
    if (reason === null) ({ database, close } = await open());
  });
  afterAll(() => close());

  test.skipIf(reason !== null)(`whatever the ledger did, its books add up (seed ${SEED})`, async () => {
    let run = 0;
    let clockMs = NOON_MS;
    const play = fc.asyncProperty(commandSequence(60), async (commands) => {
      run += 1;
      const names = namesOf(run);
      const target = await databaseTarget(database, clockMs);
      await openKeys(target, names);
      for (const command of commands) await drive(target, names, command);
      expect((await verified(database)).mismatches).toEqual([]);
      await rest(target, names);
      clockMs = target.nowMs() + 60_000;
      expect((await verified(database)).mismatches).toEqual([]);
    });

    await fc.assert(play, { seed: SEED, numRuns: Math.ceil(runs / 4), endOnFailure: true });
    const { keys, charges, fundings } = await verified(database);
    expect(Math.min(keys, charges, fundings)).toBeGreaterThan(0);
  });
});

const [server] = ENGINES;
const USED = {
  ...NO_USAGE,
  inputTokens: 30,
  outputTokens: 4,
  cacheReadTokens: 10,
  cacheWriteTokens: 8,
  cacheWrite1hTokens: 3,
};
/** 12 fresh at 1, 10 read at 0.1, 5 written at 2, 3 for an hour at 4, 4 out at 10, all per token; a search at 7. */
const PRICE = 12_000n + 1_000n + 10_000n + 12_000n + 40_000n + 7n;

test.skipIf(server?.reason !== null)(
  "books that are being written while they are read add up all the same",
  async () => {
    if (!server) return;
    const { database, close } = await server.open();
    await database.script(
      "create or replace function ledger_now() returns timestamptz language sql as 'select clock_timestamp()'",
    );
    const ledger = createLedgerStore(database);
    const keys: LoneKey[] = [];
    for (let n = 0; n < 20; n += 1) keys.push(await loneKey(database, { funds: 10n ** 12n }));
    let stopped = false;
    /** Ids are made long before their requests reach the ledger, which is when a fold in pieces could miss them. */
    const write = async (): Promise<number> => {
      let booked = 0;
      for (; !stopped; booked += keys.length) {
        const late = Date.now() - Math.floor(Math.random() * 120_000);
        const asks = keys.map((key) => askOf(key, { id: createId(late), most: 100n }));
        await ledger.admit(createId(late), asks);
        await ledger.settle(asks.map((ask) => endOf(ask)));
      }
      return booked;
    };
    const writers = [write(), write()];

    const reports: VerifyReport[] = [];
    for (let round = 0; round < 15; round += 1) reports.push(await verified(database));
    stopped = true;
    const booked = (await Promise.all(writers)).reduce((total, count) => total + count, 0);

    expect(reports.flatMap(({ mismatches }) => mismatches)).toEqual([]);
    expect(await verified(database)).toMatchObject({ ok: true, keys: 20, holds: 0, charges: booked });
    await close();
  },
);

describe.skipIf(server?.reason !== null)("books that were tampered with", () => {
  let database: Database;
  let close: () => Promise<void> = async () => undefined;
  let credit: LoneKey;
  let token: LoneKey;
  const [charged, open, spent] = [2, 3, 4].map((n) => createId(NOON_MS + n)) as [string, string, string];

  /** Two keys that have seen everything: money in and out, a request settled, one open, one undone in part; all hours added up. */
  beforeAll(async () => {
    if (!server) return;
    ({ database, close } = await server.open("tamperer"));
    await database.query("update test_clock set now = $1", [new Date(NOON_MS)]);
    await database.query("update migration set applied_at = $1", [new Date(NOON_MS - 86_400_000)]);
    await database.script(`
      insert into model (id, owned_by, provider, max_output_tokens) values ('m', 'a', 'p', 1000);
      insert into price (model_id, version, effective_from, input_nano, output_nano, cache_read_nano, cache_write_5m_nano, cache_write_1h_nano,
                         tool_call_nano)
      values ('m', 1, now(), 1000000000, 10000000000, 100000000, 2000000000, 4000000000, '{"search": "7"}')`);
    const ledger = createLedgerStore(database);
    credit = await loneKey(database, { keyId: createId(NOON_MS), funds: 5_000_000_000n });
    token = await loneKey(database, { keyId: createId(NOON_MS + 1), mode: "token_budget", funds: 1_000n });
    const asks = [
      askOf(credit, { id: charged, most: 100_000n }),
      askOf(credit, { id: open, most: 100n }),
      askOf(token, { id: spent, most: 100n }),
    ] as const;
    await ledger.admit(createId(NOON_MS), asks);
    const record = { provider: "p", status: 200, firstByteMs: 1, tookMs: 2, estimated: false };
    const usage = { ...USED, toolCalls: { search: 1 } };
    await ledger.settle([
      endOf(asks[0], { price: PRICE, usage, record }),
      endOf(asks[2], { price: 34n, usage, record }),
    ]);
    const refund = { keyId: credit.keyId, reference: "back", about: charged, amounts: creditsOf(10n), actor: "test" };
    await ledger.refund(refund);
    await database.query("update test_clock set now = $1", [new Date(NOON_MS + 86_400_000)]);
    const due = await database.query<{ hour: Date }>("select hour from rollup_due_v1(100) hour");
    for (const { hour } of [{ hour: new Date(NOON_MS) }, ...due]) await database.query("select rollup_v1($1)", [hour]);
  });
  afterAll(() => close());

  /** Does something forbidden, verifies, and undoes it. */
  async function tampered(sql: string, recompute = false): Promise<VerifyReport> {
    const { promise, resolve } = Promise.withResolvers<VerifyReport>();
    const undo = new Error("undo");
    const work = async (tx: Transaction): Promise<void> => {
      await tx.script(`set local session_replication_role = replica; ${sql}`);
      resolve(await verified(tx, null, recompute));
      throw undo;
    };
    await expect(database.transaction(work)).rejects.toBe(undo);
    return promise;
  }

  test("untouched, they add up, every amount is what its price comes to, and everything was looked at", async () => {
    expect(await verified(database, null, true)).toEqual({
      ok: true,
      keys: 2,
      counters: 2,
      holds: 1,
      charges: 2,
      fundings: 2,
      recomputed: 2,
      mismatches: [],
      truncated: false,
      quarantined: 0,
    });
    expect(await verified(database, token.keyId)).toMatchObject({
      ok: true,
      keys: 1,
      holds: 0,
      charges: 1,
      fundings: 1,
    });
  });

  test("a request that was undone whole counts nowhere [MON-45]", async () => {
    const undo = new Error("undo");
    const work = async (tx: Transaction): Promise<void> => {
      await createLedgerStore(tx).void([
        { id: charged, keyId: credit.keyId, bucket: 7 },
        { id: spent, keyId: token.keyId, bucket: 7 },
      ]);
      expect((await verified(tx, null, true)).mismatches).toEqual([]);
      await tx.query("update balance set used = used + 40 where key_id = $1", [credit.keyId]);
      expect((await verified(tx)).mismatches).toMatchObject([{ column: "counter.used" }]);
      throw undo;
    };
    await expect(database.transaction(work)).rejects.toBe(undo);
  });

  const key = "where key_no = (select min(key_no) from balance)";
  test.each<[what: string, sql: string, column: string]>([
    ["a balance", `update balance set posted = posted + 1 ${key}`, "counter.posted"],
    ["what is held", `update balance set held = held - 1 ${key}`, "counter.held"],
    ["what was paid in", `update balance set funded = 0 ${key}`, "counter.funded"],
    ["what was used", `update balance set used = used + 1 ${key}`, "counter.used"],
    ["what was given back", `update balance set refunded = 0 ${key}`, "counter.refunded"],
    ["the requests", `update balance set requests = 5 ${key}`, "balance.requests"],
    ["the tokens", `update balance set tokens_out = 5 ${key}`, "balance.tokens_out"],
    ["what it spent", `update balance set spent = 5 ${key}`, "balance.spent"],
    ["the version", `update balance set version = 9 ${key}`, "balance.version"],
    ["a hold that is gone", `delete from hold where id = '${open}'`, "counter.held"],
    ["a charge", `update charge set credits = 39 where hold_id = '${charged}'`, "counter.used"],
    ["a charge that is gone", `delete from charge where hold_id = '${charged}'`, "counter.used"],
    ["a funding that is gone", "delete from funding where kind = 'purchase'", "counter.funded"],
    ["a limit", "update balance set amount = 999, posted = 965 where kind = 'limit'", "counter.amount"],
    ["a period", "update balance set period_no = 1 where kind = 'limit'", "counter.period_no"],
    ["a chain", "update chain set accounts = array[gen_random_uuid()] where own > 0", "accounts of chain 1 that exist"],
  ])("tampering with %s is named with whose it is, and both figures", async (_what, sql, column) => {
    const { ok, mismatches } = await tampered(sql);

    expect(ok).toBe(false);
    const found = mismatches.find((mismatch) => mismatch.column === column);
    expect(found, mismatches.map((mismatch) => mismatch.column).join(", ")).toBeDefined();
    expect(found?.keyId).not.toBeNull();
    expect(found?.expected).not.toBe(found?.found);
  });

  const request = `(${requestIdOf(charged)})`;
  const mended = (amount: bigint): string =>
    `update balance set posted = posted + ${PRICE - amount}, used = used - ${PRICE - amount}, spent = spent - ${PRICE - amount} ${key};
     update usage_rollup set credits = credits - ${PRICE - amount} where credits > 0;
     update usage_day set credits = credits - ${PRICE - amount} where credits > 0`;
  const gone = `delete from charge where hold_id = '${charged}'; delete from refund;
    update balance set posted = funded, used = 0, spent = 0, refunded = 0, requests = 0, tokens_in = 0, tokens_out = 0 ${key}`;
  const tokens = `update charge set output = 3 where hold_id = '${charged}'; update balance set tokens_out = 3 ${key};
    update usage_rollup set output = 3 where credits > 0`;

  /** As far as it goes before books are sealed: a payment that was invented, and a charge removed with its sums, need a witness outside. */
  test.each<[what: string, sql: string, column: string, expected: string, found: string]>([
    [
      "a sum of an hour",
      "update usage_rollup set credits = credits + 5 where credits > 0",
      "usage_rollup.credits of 2026-01-05T12:00Z",
      "0.000075007",
      "0.000075012",
    ],
    [
      "a sum of a day",
      "update usage_day set requests = 9 where credits > 0",
      "usage_day.requests of 2026-01-05",
      "1",
      "9",
    ],
    ["the sums of a whole day", "delete from usage_day", "usage_day.requests of 2026-01-05", "1", "0"],
    [
      "a sum of a day in a kind of tokens",
      "update usage_day set cache_read = cache_read + 7 where credits > 0",
      "usage_day.cache_read of 2026-01-05",
      "10",
      "17",
    ],
    [
      "an invented sum of a day",
      "insert into usage_day select day, chain, model, 2, 3, 0, 0, 0, 0, 0, 0, 0 from usage_day where credits > 0",
      "usage_day.requests of 2026-01-05",
      "0",
      "3",
    ],
    ["a charge removed with its balance", gone, "usage_rollup.requests of 2026-01-05T12:00Z", "0", "1"],
    ["tokens changed with their sums", tokens, `charge.credits ${request}`, "0.000065007", "0.000075007"],
    [
      "a charge lowered with all its sums",
      `update charge set credits = 20 where hold_id = '${charged}'; ${mended(20n)}`,
      `charge.credits ${request}`,
      "0.000075007",
      "0.00000002",
    ],
    [
      "a charge for no tokens",
      `update charge set input = 0, output = 0, cache_read = null, cache_write = null, cache_write_1h = null, tools = null where hold_id = '${charged}'`,
      `charge.credits ${request}`,
      "0",
      "0.000075007",
    ],
    [
      "an invented loss",
      `insert into house (hold_id, kind, unit, key_id, amount, at) select '${charged}', 'overrun', 'credit', key_id, 9, now() from balance ${key}`,
      `house.amount (overrun) ${request}`,
      "0",
      "0.000000009",
    ],
    [
      "a loss of nobody",
      "insert into house (hold_id, kind, unit, key_id, amount, at) values (gen_random_uuid(), 'write_off', 'credit', gen_random_uuid(), 9, now())",
      "house.amount (write_off)",
      "none",
      "0.000000009",
    ],
  ])("%s is found, and named", async (_what, sql, column, expected, found) => {
    const { mismatches } = await tampered(sql, true);

    const named = mismatches.find((mismatch) => mismatch.column.startsWith(column));
    expect(named, JSON.stringify(mismatches)).toMatchObject({ expected, found });
  });

  test("more given back than was charged is named", async () => {
    const sql =
      "update refund set credits = 99999999; update balance set refunded = 99999999, posted = posted + 99999989 " + key;

    expect((await tampered(sql)).mismatches).toMatchObject([{ column: `refund ${request}`, found: "0.099999999" }]);
  });
});
