import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createStorage } from "../../src/app/create-storage.ts";
import { systemClock } from "../../src/core/clock.ts";
import { createId } from "../../src/core/ids.ts";
import type { Database } from "../../src/db/database.ts";
import { withoutJit } from "../../src/db/postgres/without-jit.ts";
import { createRepairPeriods } from "../../src/ledger/duties/period-repair-store.ts";
import type { RepairPeriods } from "../../src/ledger/duties/period-repair.ts";
import { verify } from "../../src/ledger/verify/verify.ts";
import { createVerifyStore } from "../../src/ledger/verify/verify-store.ts";
import type { OperatorEvents } from "../../src/telemetry/operator-events.ts";
import { type AskFields, askOf, endOf } from "../support/lone-key.ts";
import { BUCKET, namesOf } from "./commands.ts";
import { type DatabaseTarget, databaseTarget } from "./database-target.ts";
import { SERVERS } from "./engines.ts";
import { type LoneLedger, loneLedger } from "./lone-ledger.ts";

/** Half an hour before November. */
const OCTOBER_MS = Date.UTC(2026, 9, 31, 23, 30);
const NOON_MS = Date.UTC(2026, 10, 17, 12);
const DECEMBER_MS = Date.UTC(2026, 11, 1);
const DAY_MS = 86_400_000;
const [server] = SERVERS;
const names = namesOf(7_000);

describe.skipIf(server?.reason !== null)("limits that are far ahead", () => {
  let database: Database;
  let close: () => Promise<void> = async () => undefined;
  let driven: DatabaseTarget;
  let target: LoneLedger;
  let repair: RepairPeriods;
  const [first, second, credit] = [names.keyId(0), names.keyId(1), names.keyId(2)];

  beforeAll(async () => {
    if (server) ({ database, close } = await server.open());
    driven = await databaseTarget(database, OCTOBER_MS);
    target = loneLedger(driven);
    repair = createRepairPeriods(database);
    await target.heartbeat(names.processId(0));
    for (const keyId of [first, second]) {
      await target.createKey(keyId, "tokens");
      await target.setLimit({ keyId, reference: "b", amount: 100n, period: "month" });
    }
    await target.createKey(credit, "credit");
    await target.purchase(credit, 100n);
    await spend(first, 6n);
    await target.advance(NOON_MS - OCTOBER_MS);
  });
  afterAll(() => close());

  /** An id of now, as the gateway's clock had it, or one from long ago, as where that clock was right. */
  const begin = async (keyId: string, amount: bigint, fields: AskFields = {}) => {
    const of = target.ask(keyId, { id: createId(target.nowMs()), least: amount, most: amount, ...fields });
    return { of, verdict: (await target.admit(names.processId(0), [of]))[0] };
  };
  const spend = async (keyId: string, amount: bigint, fields: AskFields = {}): Promise<string> => {
    const { of, verdict } = await begin(keyId, amount, fields);
    expect(verdict).toMatchObject({ kind: "admitted" });
    await target.settle([{ of, price: amount }]);
    return of.id;
  };
  const verified = async (): Promise<unknown> =>
    (
      await verify(createVerifyStore(withoutJit(database)), {
        keyId: null,
        recompute: false,
        onProgress: () => undefined,
      })
    ).mismatches;
  const bring = (apply: boolean) => repair({ apply, actor: "test" });

  test("are brought back with all that was charged since, and the ledger verifies in every period [I1, I2, I7] [L12]", async () => {
    await spend(first, 40n);
    const refunded = await spend(first, 10n);
    const undone = await spend(first, 9n);
    await spend(second, 5n);
    await target.advance(20 * DAY_MS);
    const { of: open } = await begin(first, 20n);
    await spend(first, 15n);
    // The gateway's clock was right: its id tells of November.
    await spend(first, 8n, { id: names.requestId(1) });
    await target.advance(-20 * DAY_MS);
    await target.refund({ keyId: first, reference: "r", about: refunded, amount: 4n });
    await target.void([{ id: undone, keyId: first }]);
    expect((await begin(first, 1n)).verdict).toMatchObject({ kind: "not_begun", beginsAtMs: DECEMBER_MS });
    expect(await verified()).toEqual([]);

    expect(await bring(true)).toMatchObject([{ keyId: first, result: "held" }]);
    await target.settle([{ of: open, price: 3n }]);
    const ahead = await bring(false);
    expect(ahead).toMatchObject([
      {
        keyId: first,
        result: "ahead",
        aheadAt: new Date(DECEMBER_MS),
        endsAt: new Date(DECEMBER_MS),
        used: 76n,
        posted: 28n,
      },
    ]);
    expect(await bring(true)).toEqual([{ ...ahead[0], result: "brought_back" }]);
    expect(await bring(true)).toEqual([]);
    expect(await verified()).toEqual([]);

    expect(await target.usage(first)).toMatchObject({ used: 76n, posted: 28n, held: 0n, renewsAtMs: DECEMBER_MS });
    expect((await begin(first, 29n)).verdict).toMatchObject({ kind: "insufficient" });
    await spend(first, 28n);
    expect(await verified()).toEqual([]);

    // What is dated in December counts there, too.
    await target.advance(DECEMBER_MS - target.nowMs());
    await spend(first, 1n);
    await spend(second, 1n);
    expect(await target.usage(first)).toMatchObject({ used: 27n, posted: 73n });
    expect(await target.usage(second)).toMatchObject({ used: 1n, posted: 99n });
    expect(await verified()).toEqual([]);
  });

  test("are brought back above the keys that share them, too [I2, I7] [L12]", async () => {
    const [org, member] = [names.accountId(0), names.keyId(3)];
    await target.createAccount(org, null);
    await driven.createKey(member, "tokens", { accountId: org });
    const limit = { accountId: org, keyId: null, kind: "limit", unit: "tokens", models: null } as const;
    await target.open({ number: 1, ...limit, amount: 50n, period: "week" });
    const { chain, version } = await target.copyOf(member, "m");
    const payer = { keyId: member, bucket: BUCKET, unit: "tokens", chain } as const;
    const use = async (amount: bigint) => {
      const fields = { id: createId(target.nowMs()), keyVersion: version, least: amount, most: amount };
      const of = askOf(payer, fields);
      const { verdicts } = await target.turn(names.processId(0), { settlements: [], asks: [of] });
      if (verdicts[0]?.kind !== "admitted") return verdicts;
      const settlements = [endOf(of, { price: amount })];
      await target.turn(names.processId(0), { settlements, asks: [] });
      return verdicts;
    };
    await use(30n);
    await target.advance(20 * DAY_MS);
    await use(7n);
    await target.advance(-20 * DAY_MS);

    expect(await use(1n)).toMatchObject([{ kind: "not_begun", counter: 1 }]);
    const events = { limitBroughtBack: vi.fn(), auditEndLost: vi.fn() };
    const storage = createStorage({
      database,
      events: events as Partial<OperatorEvents> as OperatorEvents,
      clock: systemClock,
      pause: () => Promise.resolve(),
    });
    const by = { actor: "ann", via: "cli" } as const;
    await storage.repairPeriods({ apply: false }, by);
    expect(await storage.repairPeriods({ apply: true }, by)).toMatchObject([
      { accountId: org, keyId: null, result: "brought_back", used: 37n, posted: 13n },
    ]);
    expect(events.limitBroughtBack).toHaveBeenCalledOnce();
    expect(events.auditEndLost).not.toHaveBeenCalled();
    const told = `select a.actor, e.outcome, e.after->'limits'->0->>'used' as used from audit a join audit_end e on e.id = a.id
                   where a.action = 'ledger.repair_periods'`;
    expect(await database.query(told)).toEqual([{ actor: "ann", outcome: "done", used: "37" }]);
    expect(await use(14n)).toMatchObject([{ kind: "insufficient" }]);
    expect(await use(13n)).toMatchObject([{ kind: "admitted" }]);
    expect(await verified()).toEqual([]);
  });

  test("are none that are less than an hour ahead, and no purses", async () => {
    await target.advance(Date.UTC(2027, 0, 1) - 1_800_000 - target.nowMs());
    await target.advance(3_000_000);
    await spend(first, 1n);
    await spend(credit, 1n);
    await target.advance(-3_000_000);

    expect(await bring(true)).toEqual([]);
  });
});
