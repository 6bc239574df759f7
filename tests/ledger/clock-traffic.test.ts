import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createId } from "../../src/core/ids.ts";
import type { Database } from "../../src/db/database.ts";
import { createPostgres } from "../../src/db/postgres/postgres.ts";
import { withoutJit } from "../../src/db/postgres/without-jit.ts";
import { createLedgerStore, ledgerFailureOf } from "../../src/ledger/turn/ledger-store.ts";
import type { Ask, Ledger } from "../../src/ledger/ledger.ts";
import { verify } from "../../src/ledger/verify/verify.ts";
import { createVerifyStore } from "../../src/ledger/verify/verify-store.ts";
import { askOf, endOf, type LoneKey, loneKey } from "../support/lone-key.ts";
import { freshDatabase, whyUnavailable } from "../support/postgres.ts";

const reason = whyUnavailable("15");
const limits = { poolSize: 6, connectTimeoutMs: 5_000, statementTimeoutMs: 10_000, onError: () => undefined };
const KEYS = 12;
const BATCHES = 60;

describe.skipIf(reason !== null)("with traffic", () => {
  let database: Database;
  let close: () => Promise<void> = async () => undefined;
  let ledger: Ledger;
  const processId = createId(Date.now());
  let jumped = 0;
  const shift = (by: string): Promise<unknown> => database.query("update clock_error set by = $1::interval", [by]);

  beforeAll(async () => {
    const fresh = await freshDatabase({ version: "15" });
    database = createPostgres({ url: fresh.url, ...limits });
    // Ids are asked for their time, as they are in service.
    await database.script(`
      create table clock_error (by interval not null);
      insert into clock_error values ('0');
      create or replace function ledger_now() returns timestamptz language sql volatile as 'select clock_timestamp() + by from clock_error'`);
    ledger = createLedgerStore(database);
    close = async () => {
      await database.close();
      await fresh.close();
    };
  });
  afterAll(() => close());

  /** Ends what is open and asks for as much again, of keys at random; an admission that the clock forbids is left out. */
  async function batches(keys: readonly LoneKey[], times: number): Promise<void> {
    let open: Ask[] = [];
    for (let batch = 0; batch < times; batch += 1) {
      const settlements = open.map((of) => endOf(of, { price: 1n }));
      const some = keys.filter(() => Math.random() < 0.5);
      const asks = some.map((key) => askOf(key, { most: 2n }));
      const { verdicts } = await ledger.turn(processId, { settlements, asks }).catch(async (error: unknown) => {
        if (ledgerFailureOf(error) !== "refused") throw error;
        jumped += 1;
        await ledger.turn(processId, { settlements, asks: [] });
        return { verdicts: [] };
      });
      expect(verdicts.filter(({ kind }) => kind !== "admitted")).toEqual([]);
      open = verdicts.length === 0 ? [] : asks;
    }
    await ledger.turn(processId, { settlements: open.map((of) => endOf(of, { price: 1n })), asks: [] });
  }

  test("a clock that jumps far ahead and back leaves every period, and the ledger verifies [I1, I7] [L12]", async () => {
    await ledger.heartbeat(processId);
    const keys: LoneKey[] = [];
    for (let n = 0; n < KEYS; n += 1) keys.push(await loneKey(database, { mode: "token_budget", funds: 100_000n }));
    const periods = (): Promise<unknown> =>
      database.query("select key_id, period_no, period_from, period_ends_at from balance order by key_id");
    const before = await periods();

    let running = true;
    const traffic = Promise.all([1, 2, 3].map(() => batches(keys, BATCHES))).finally(() => (running = false));
    const jumps = (async () => {
      while (running) {
        await shift("40 days");
        for (let n = 0; n < 5; n += 1) await database.query("select 1");
        await shift("0");
        for (let n = 0; n < 20; n += 1) await database.query("select 1");
      }
    })();
    await Promise.all([traffic, jumps]);
    await shift("0");

    expect(jumped).toBeGreaterThan(0);
    expect(await periods()).toEqual(before);
    await batches(keys, 1);
    const read = { keyId: null, recompute: false, onProgress: () => undefined };
    expect(await verify(createVerifyStore(withoutJit(database)), read)).toMatchObject({ ok: true, mismatches: [] });
  }, 60_000);
});
