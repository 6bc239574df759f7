import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ENGINES } from "../../../../tests/ledger/engines.ts";
import { DAY_MS } from "../../../../tests/ledger/verified-days.ts";
import { askOf, endOf, type LoneKey, loneKey } from "../../../../tests/support/lone-key.ts";
import { until } from "../../../../tests/support/until.ts";
import { createId } from "../../../core/ids.ts";
import { systemClock } from "../../../core/clock.ts";
import type { Database, Queryable } from "../../../db/database.ts";
import { createLedgerStore } from "../../turn/ledger-store.ts";
import { createBalancesStore } from "./balances-store.ts";
import { createDayStore } from "./day-store.ts";
import { type FoundMismatch, type Round, startVerifyDays, type VerifyDays } from "./verify-days.ts";

const [server] = ENGINES;

describe.skipIf(server?.reason !== null)("verification while a gateway serves", () => {
  let database: Database;
  let close: () => Promise<void> = async () => undefined;
  let key: LoneKey;
  const started: VerifyDays[] = [];

  beforeEach(async () => {
    if (server) ({ database, close } = await server.open("tamperer"));
    await database.script(
      "create or replace function ledger_now() returns timestamptz language sql as 'select clock_timestamp()'",
    );
    await database.script(`
      insert into model (id, owned_by, provider, max_output_tokens) values ('m', 'a', 'p', 100000);
      insert into price (model_id, version, effective_from, input_nano, output_nano) values ('m', 1, now(), 1000000, 1000000)`);
    key = await loneKey(database, { funds: 1_000_000n });
    await spend(10);
  });
  afterEach(async () => {
    await Promise.all(started.splice(0).map(({ stop }) => stop()));
    await close();
  });

  async function spend(requests: number): Promise<string[]> {
    const ledger = createLedgerStore(database);
    const asks = Array.from({ length: requests }, () => askOf(key));
    const record = { provider: "p", status: 200, firstByteMs: 1, tookMs: 2, estimated: false };
    await ledger.admit(createId(Date.now()), asks);
    await ledger.settle(asks.map((ask) => endOf(ask, { record })));
    return asks.map(({ id }) => id);
  }

  function start(processId = createId(Date.now()), { slowly = false } = {}) {
    const told = {
      mismatches: [] as FoundMismatch[],
      rounds: [] as Round[],
      done: 0,
      failures: [] as unknown[],
      queries: 0,
    };
    const verifying = startVerifyDays({
      openStore: (step) => {
        const paced: Queryable = {
          query: (sql, values) =>
            step(async () => {
              told.queries += 1;
              const rows = await database.query<never>(sql, values);
              return slowly ? new Promise((resolve) => setTimeout(() => resolve(rows), 50)) : rows;
            }),
        };
        return {
          days: createDayStore(paced, database),
          balances: (days, onGrown) => createBalancesStore(paced, days, onGrown),
        };
      },
      processId,
      clock: systemClock,
      sharePercent: slowly ? 1 : 100,
      everyMs: 50,
      onMismatch: (found) => told.mismatches.push(found),
      onState: (round) => told.rounds.push(round),
      onDone: () => (told.done += 1),
      onFailed: (error) => told.failures.push(error),
    });
    started.push(verifying);
    return { ...verifying, told };
  }

  const verifiedAt = ({ told }: ReturnType<typeof start>): number => told.rounds.at(-1)?.verifiedAtMs ?? 0;

  test("a ledger that balances is verified up to now, and nothing is told", async () => {
    const began = Date.now();
    const verifying = start();

    await until(() => verifiedAt(verifying) >= began - 1_000, "the first round has ended");

    expect(verifying.told).toMatchObject({ mismatches: [], failures: [] });
    expect(verifying.told.rounds.at(-1)?.mismatches).toBe(0);
  });

  test("a mismatch is told once, with whose it is, and counted until it is gone", async () => {
    const [id = ""] = await spend(1);
    await database.transaction((tx) =>
      tx.script(`set local session_replication_role = replica; update charge set credits = 9 where hold_id = '${id}'`),
    );
    const first = start();
    await until(() => verifiedAt(first) > 0, "the first round has ended");
    await first.stop();

    expect(first.told.mismatches.filter(({ day }) => day !== null)).toMatchObject([
      { day: new Date().toISOString().slice(0, 10), keyId: key.keyId, expected: "0.000000007", found: "0.000000009" },
    ]);
    expect(first.told.mismatches.filter(({ day }) => day === null).map(({ column }) => column)).toContain(
      "counter.used",
    );
    const counted = first.told.mismatches.length;
    expect(first.told.rounds.at(-1)?.mismatches).toBe(counted);

    await database.script("update verified_day set verified_at = verified_at - interval '6 minutes'");
    const next = start();
    await until(() => next.told.done >= 2, "the next has looked, too");
    await next.stop();
    expect(next.told.mismatches).toEqual([]);
    expect(next.told.rounds.at(-1)?.mismatches).toBe(counted);

    await database.transaction((tx) =>
      tx.script(`set local session_replication_role = replica; update charge set credits = 7 where hold_id = '${id}'`),
    );
    await database.script("update verified_day set verified_at = verified_at - interval '6 minutes'");
    const last = start();
    await until(() => last.told.done >= 2 && last.told.rounds.at(-1)?.mismatches === 0, "nothing differs any more");
  });

  test("days that nobody has looked at are looked at first, and only then is anything verified", async () => {
    for (const days of [3, 2]) {
      const day = new Date(Date.now() - days * DAY_MS);
      await database.query(
        `insert into charge (hold_id, admitted_at, at, key_no, chain, kind) values ($1, $2, $2, 99, 0, 6)`,
        [createId(day.getTime()), day],
      );
    }
    const verifying = start();
    await until(() => verifiedAt(verifying) > 0, "everything is verified");

    const { days } = await createDayStore(database).days();
    expect(days.every(({ digest }) => digest !== null)).toBe(true);
    expect(days.filter(({ charges }) => charges === 1)).toHaveLength(2);
    expect(verifying.told.mismatches).toEqual([]);
  });

  test("of two processes one verifies, both tell what is found, and a stop is not waited for", async () => {
    const [one, other] = [start(undefined, { slowly: true }), start(undefined, { slowly: true })];
    await until(() => one.told.queries + other.told.queries > 0 && other.told.rounds.length > 0, "one has begun");

    expect(Math.min(one.told.queries, other.told.queries)).toBe(0);
    const beganMs = Date.now();
    await Promise.all([one.stop(), other.stop()]);

    expect(Date.now() - beganMs).toBeLessThan(2_000);
    expect(await createDayStore(database).takeTurn(createId(1), 1_000)).toBe(true);
    expect([...one.told.failures, ...other.told.failures]).toEqual([]);
  });
});
