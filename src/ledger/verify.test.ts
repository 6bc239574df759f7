import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { commandSequence, namesOf } from "../../tests/ledger/commands.ts";
import { databaseTarget } from "../../tests/ledger/database-target.ts";
import { drive, openKeys, rest } from "../../tests/ledger/drive.ts";
import { ENGINES } from "../../tests/ledger/engines.ts";
import { createId, requestIdOf } from "../core/ids.ts";
import { NO_USAGE } from "../core/usage.ts";
import type { Database, Queryable, Transaction } from "../db/database.ts";
import { createLedgerStore } from "./ledger-store.ts";
import { createVerifyStore } from "./verify-store.ts";
import { verify, type VerifyReport } from "./verify.ts";
import { NOTHING_BORNE } from "../../tests/support/nothing-borne.ts";

const SEED = Number(process.env["LEDGER_SEED"] ?? Date.now() % 2 ** 31);
const NOON_MS = Date.UTC(2026, 0, 5, 12);

const verified = (queryable: Queryable, keyIds: string[] | null = null): Promise<VerifyReport> =>
  verify(createVerifyStore(queryable), { keyIds, onProgress: () => undefined });

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
test.skipIf(server?.reason !== null)("budgets add up in the order they were set, whatever the clock said", async () => {
  if (!server) return;
  const { database, close } = await server.open();
  const target = await databaseTarget(database, NOON_MS);
  const keyId = createId(NOON_MS);
  await target.createKey(keyId, "tokens");
  const change = { keyId, period: "day", actor: "test" } as const;
  await target.setBudget({ ...change, reference: "one", budget: 100n });
  await target.advance(-5_000);
  await target.setBudget({ ...change, reference: "two", budget: 50n });
  expect((await verified(database)).mismatches).toEqual([]);

  const gone = `alter table funding disable trigger funding_is_final; delete from funding where reference = 'one'`;
  await database.script(gone);
  expect((await verified(database)).mismatches).toEqual([
    { keyId, column: "balance.fundings", expected: "1", found: "2" },
  ]);
  await close();
});

test.skipIf(server?.reason !== null)(
  "books that are being written while they are read add up all the same",
  async () => {
    if (!server) return;
    const { database, close } = await server.open();
    await database.script(
      "create or replace function ledger_now() returns timestamptz language sql as 'select clock_timestamp()'",
    );
    const ledger = createLedgerStore(database);
    const keys = Array.from({ length: 20 }, (_, n) => createId(NOON_MS + n));
    for (const keyId of keys) {
      await database.query("insert into key (id, bucket, mode) values ($1, 7, 'credit')", [keyId]);
      await ledger.fund({ keyId, reference: "a", kind: "grant", amount: 10n ** 12n, about: null, actor: "test" });
    }
    let stopped = false;
    /** Ids are made long before their requests reach the ledger, which is when a fold in pieces could miss them. */
    const write = async (): Promise<number> => {
      let booked = 0;
      for (; !stopped; booked += keys.length) {
        const late = Date.now() - Math.floor(Math.random() * 120_000);
        const asks = keys.map((keyId) => ({ id: createId(late), keyId, bucket: 7 }));
        const ask = {
          bucket: 7,
          keyVersion: 1,
          rpmLimit: null,
          least: 1n,
          most: 100n,
          unlimited: false,
          model: "m",
          claim: null,
        };
        const priced = { priceVersion: 1, lifetimeMs: 60_000 };
        await ledger.admit(
          createId(late),
          asks.map((it) => ({ ...ask, ...priced, ...it })),
        );
        const end = {
          outcome: "completed",
          charge: 7n,
          usage: NO_USAGE,
          contentDelivered: true,
          record: null,
          answer: null,
          bucket: 7,
          ...NOTHING_BORNE,
        } as const;
        await ledger.settle(asks.map((it) => ({ ...end, ...it })));
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

test.skipIf(server?.reason !== null)(
  "a gateway that is behind causes no alarm, also where the whole cannot be looked at in one statement",
  async () => {
    if (!server) return;
    const { database, close } = await server.open();
    const target = await databaseTarget(database, NOON_MS);
    const keyId = createId(NOON_MS);
    await target.createKey(keyId, "credit");
    await target.fund({ keyId, reference: "g", kind: "grant", amount: 1_000n, about: null, actor: "test" });
    const store = createVerifyStore(database);
    let late = 0;
    /** Five minutes behind: booked when the charges of that time have been added up. */
    const charges: typeof store.charges = async (scope) => {
      const chunk = await store.charges(scope);
      const id = createId(NOON_MS - 300_000 + (late += 1));
      const ask = {
        bucket: 7,
        keyVersion: 1,
        rpmLimit: null,
        least: 1n,
        most: 10n,
        unlimited: false,
        model: "m",
        claim: null,
      };
      await target.admit(createId(1), [{ ...ask, id, keyId, priceVersion: 1, lifetimeMs: 60_000 }]);
      const end = { outcome: "completed", charge: 7n, usage: NO_USAGE, contentDelivered: true, answer: null } as const;
      await target.settle([{ ...end, bucket: 7, ...NOTHING_BORNE, id, keyId, record: null }]);
      return chunk;
    };
    const accounts: typeof store.accounts = (scope) =>
      scope.from.startsWith("00000000")
        ? Promise.reject(Object.assign(new Error("too long"), { code: "57014" }))
        : store.accounts(scope);

    const report = await verify({ ...store, charges, accounts }, { keyIds: null, onProgress: () => undefined });

    expect(late).toBeGreaterThan(2);
    expect(report.mismatches).toEqual([]);
    await close();
  },
);

describe.skipIf(server?.reason !== null)("books that were tampered with", () => {
  let database: Database;
  let close: () => Promise<void> = async () => undefined;
  const [creditKey, tokenKey] = [createId(NOON_MS), createId(NOON_MS + 1)];
  const [processId, charged, open, spent] = [1, 2, 3, 4].map((n) => createId(NOON_MS + n)) as [
    string,
    string,
    string,
    string,
  ];
  beforeAll(async () => {
    if (!server) return;
    ({ database, close } = await server.open());
    await books(database);
  });
  afterAll(() => close());

  /** Two keys that have seen everything: money in and out, a request settled, one open, one undone in part. */
  async function books(queryable: Database): Promise<void> {
    const target = await databaseTarget(queryable, NOON_MS);
    const ledger = createLedgerStore(queryable);
    await target.createKey(creditKey, "credit");
    await target.createKey(tokenKey, "tokens");
    const funding = { keyId: creditKey, about: null, actor: "test" };
    await ledger.fund({ ...funding, reference: "first", kind: "purchase", amount: 5_000_000_000n });
    await ledger.setBudget({ keyId: tokenKey, reference: "b", budget: 1_000n, period: "month", actor: "test" });
    const ask = {
      bucket: 7,
      keyVersion: 1,
      rpmLimit: null,
      least: 1n,
      most: 100n,
      unlimited: false,
      model: "m",
      claim: null,
    };
    const priced = { priceVersion: 1, lifetimeMs: 60_000 };
    await ledger.admit(processId, [
      { ...ask, ...priced, id: charged, keyId: creditKey },
      { ...ask, ...priced, id: open, keyId: creditKey },
      { ...ask, ...priced, id: spent, keyId: tokenKey },
    ]);
    const record = { provider: "p", status: 200, firstByteMs: 1, tookMs: 2, estimated: false };
    const usage = { ...NO_USAGE, inputTokens: 3, outputTokens: 4 };
    const end = {
      outcome: "completed",
      usage,
      contentDelivered: true,
      record,
      answer: null,
      bucket: 7,
      ...NOTHING_BORNE,
    } as const;
    await ledger.settle([
      { ...end, id: charged, keyId: creditKey, charge: 40n },
      { ...end, id: spent, keyId: tokenKey, charge: 7n },
    ]);
    await ledger.fund({ ...funding, reference: "back", kind: "refund", amount: 10n, about: charged });
  }

  /** Does something forbidden, verifies, and undoes it. */
  async function tampered(sql: string, keyIds: string[] | null = null): Promise<VerifyReport> {
    const { promise, resolve } = Promise.withResolvers<VerifyReport>();
    const undo = new Error("undo");
    const work = async (tx: Transaction): Promise<void> => {
      await tx.script(sql);
      resolve(await verified(tx, keyIds));
      throw undo;
    };
    await expect(database.transaction(work)).rejects.toBe(undo);
    return promise;
  }

  test("a request that was undone whole counts neither as spent nor as paid in [MON-45]", async () => {
    const undo = new Error("undo");
    const work = async (tx: Transaction): Promise<void> => {
      await createLedgerStore(tx).void([
        { id: charged, keyId: creditKey, bucket: 7 },
        { id: spent, keyId: tokenKey, bucket: 7 },
      ]);
      expect((await verified(tx)).mismatches).toEqual([]);
      await tx.query("update balance set used = used + 40, purchased = purchased + 40 where key_id = $1", [creditKey]);
      expect((await verified(tx)).mismatches).toMatchObject([
        { column: "balance.purchased" },
        { column: "balance.used" },
      ]);
      throw undo;
    };
    await expect(database.transaction(work)).rejects.toBe(undo);
  });

  test("untouched, they add up, and everything was looked at", async () => {
    expect(await verified(database)).toEqual({
      ok: true,
      keys: 2,
      holds: 1,
      charges: 2,
      fundings: 3,
      usageRecords: 2,
      mismatches: [],
      truncated: false,
      quarantined: 0,
    });
    expect(await verified(database, [tokenKey])).toMatchObject({
      ok: true,
      keys: 1,
      holds: 0,
      charges: 1,
      fundings: 1,
    });
  });

  const unlocked = (table: string, sql: string): string =>
    `alter table ${table} disable trigger ${table}_is_final; ${sql}; alter table ${table} enable trigger ${table}_is_final`;
  const credit = `where key_id = '${creditKey}'`;
  test.each<[what: string, sql: string, column: string, expected: string, found: string]>([
    ["a balance", `update balance set posted = posted + 1 ${credit}`, "posted", "4.99999997", "4.999999971"],
    ["what is held", `update balance set held = held - 1 ${credit}`, "held", "0.0000001", "0.000000099"],
    ["what was paid in", `update balance set purchased = 0 ${credit}`, "purchased", "5.00000001", "0"],
    ["what was used", `update balance set used = used + 1 ${credit}`, "used", "0.00000004", "0.000000041"],
    ["the requests", `update balance set requests = 5 ${credit}`, "requests", "1", "5"],
    ["the tokens", `update balance set tokens_out = 5 ${credit}`, "tokens_out", "4", "5"],
    ["the version", `update balance set version = 9 ${credit}`, "version", "1", "9"],
    ["a hold that is gone", `delete from hold where id = '${open}'`, "held", "0", "0.0000001"],
    [
      "a charge",
      unlocked("charge", `update charge set amount = 39 where hold_id = '${charged}'`),
      "used",
      "0.000000039",
      "0.00000004",
    ],
    [
      "a charge that is gone",
      unlocked("charge", `delete from charge where hold_id = '${charged}'`),
      "used",
      "0",
      "0.00000004",
    ],
    [
      "a funding that is gone",
      unlocked("funding", `delete from funding where reference = 'first'`),
      "purchased",
      "0.00000001",
      "5.00000001",
    ],
  ])(
    "tampering with %s is named with its key, its column, and both figures",
    async (_what, sql, column, expected, found) => {
      const { ok, mismatches } = await tampered(sql);

      expect(ok).toBe(false);
      expect(mismatches).toContainEqual({ keyId: creditKey, column: `balance.${column}`, expected, found });
      expect(mismatches.filter(({ keyId }) => keyId !== creditKey)).toEqual([]);
    },
  );

  test.each<[what: string, sql: string, column: string]>([
    ["the budget", "update balance set budget = 999, posted = 992", "budget"],
    ["the tokens of the period", "update balance set used = used + 1", "used"],
    ["the period", "update balance set period_no = 1", "period_no"],
    ["what older periods hold", "update balance set held = 1, older_held = 1", "older_held"],
  ])("tampering with %s of a token key is named", async (_what, sql, column) => {
    const { mismatches } = await tampered(`${sql} where key_id = '${tokenKey}'`);

    expect(mismatches.map((mismatch) => mismatch.column)).toContain(`balance.${column}`);
    expect(new Set(mismatches.map(({ keyId }) => keyId))).toEqual(new Set([tokenKey]));
  });

  test("a record that costs what was not charged, or has no charge, is named by its request", async () => {
    const record = `usage_record.cost (${requestIdOf(charged)})`;
    expect((await tampered(`update usage_record set cost = 41 where id = '${charged}'`)).mismatches).toEqual([
      { keyId: creditKey, column: record, expected: "0.00000004", found: "0.000000041" },
    ]);
    const { mismatches } = await tampered(`update usage_record set id = '${open}' where id = '${charged}'`);
    expect(mismatches).toMatchObject([{ keyId: creditKey, expected: "no record, as there is no charge" }]);
  });

  test("more given back than was charged is named", async () => {
    const more = `insert into funding select key_id, 'more', bucket, kind, 31, period_no, about, actor, at from funding where reference = 'back'`;
    const balance = `update balance set posted = posted + 31, purchased = purchased + 31 ${credit}`;

    expect((await tampered(`${more}; ${balance}`)).mismatches).toEqual([
      {
        keyId: creditKey,
        column: `funding.amount of refunds (${requestIdOf(charged)})`,
        expected: "at most 0.00000004",
        found: "0.000000041",
      },
    ]);
  });

  test("a request that is open and charged is named", async () => {
    const reopened = `update hold set id = '${charged}' where id = '${open}'`;

    expect((await tampered(reopened)).mismatches).toEqual([
      {
        keyId: creditKey,
        column: `hold (${requestIdOf(charged)})`,
        expected: "none, as it was charged 0.00000004",
        found: "open with 0.0000001",
      },
    ]);
  });

  test("charges of a key that has no balance are not passed over", async () => {
    const later = "update test_clock set now = now + interval '1 hour'; delete from hold";
    const { mismatches } = await tampered(`${later}; delete from balance where key_id = '${tokenKey}'`);

    expect(mismatches).toContainEqual({
      keyId: tokenKey,
      column: "charge",
      expected: "a balance",
      found: "none, but 1 of its charges",
    });
  });

  test("books too large to be looked at whole are folded in pieces once more", async () => {
    const store = createVerifyStore(database);
    const boundaries: string[] = [];
    const accounts: typeof store.accounts = (scope) => {
      boundaries.push(scope.from.slice(0, 8));
      if (boundaries.length === 2) return Promise.reject(Object.assign(new Error("too long"), { code: "57014" }));
      return store.accounts(scope);
    };
    await database.query(`update balance set used = used + 1 ${credit}`);
    const report = await verify({ ...store, accounts }, { keyIds: null, onProgress: () => undefined });
    await database.query(`update balance set used = used - 1 ${credit}`);

    expect(report.mismatches).toMatchObject([{ keyId: creditKey, column: "balance.used" }]);
    expect(boundaries).toEqual([expect.not.stringMatching(/^0+$/), "00000000", expect.not.stringMatching(/^0+$/)]);
  });

  test("one key is verified without the others", async () => {
    const sql = `update balance set used = used + 1, posted = posted + 1 ${credit}`;

    expect((await tampered(sql, [tokenKey])).ok).toBe(true);
    expect((await tampered(sql, [creditKey])).ok).toBe(false);
  });
});
