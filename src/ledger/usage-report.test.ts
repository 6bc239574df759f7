import { afterAll, beforeAll, expect, test } from "vitest";
import { databaseTarget } from "../../tests/ledger/database-target.ts";
import type { Target } from "../../tests/ledger/drive.ts";
import { ENGINES } from "../../tests/ledger/engines.ts";
import { createId } from "../core/ids.ts";
import { NO_USAGE, type Outcome } from "../core/usage.ts";
import type { Database } from "../db/database.ts";
import { usageReportView } from "../wire/admin/usage.ts";
import { createReadUsage } from "./usage-report-store.ts";
import { createReportUsage } from "./usage-report.ts";
import { NOTHING_BORNE } from "../../tests/support/nothing-borne.ts";

const START_MS = Date.UTC(2026, 0, 5, 22, 30);
const HOUR_MS = 3_600_000;
let database: Database;
let target: Target;
let close: () => Promise<void> = async () => undefined;
beforeAll(async () => {
  const engine = ENGINES.at(-1);
  if (engine) ({ database, close } = await engine.open());
  target = await databaseTarget(database, START_MS);
});
afterAll(() => close());

const report = async (keyId: string, days: number) => {
  const usage = await createReportUsage({ readUsage: createReadUsage(database) })(keyId, days);
  return usageReportView({ key: { id: keyId, prefix: "tgc_00000000" }, ...usage });
};

async function spend(keyId: string, { model, charge, outcome }: { model: string; charge: bigint; outcome: Outcome }) {
  const id = createId(target.nowMs());
  const ask = {
    bucket: 7,
    keyVersion: 1,
    rpmLimit: null,
    unlimited: false,
    claim: null,
    lifetimeMs: 60_000,
    priceVersion: 1,
  };
  await target.admit(createId(START_MS), [{ ...ask, id, keyId, least: 1n, most: 1_000_000_000n, model }]);
  const usage = { ...NO_USAGE, inputTokens: 2, outputTokens: 3 };
  const details = { provider: "p", status: 200, firstByteMs: 1, tookMs: 2, estimated: false };
  const record = outcome === "client_gone" ? null : details;
  await target.settle([
    { id, keyId, outcome, charge, usage, contentDelivered: true, record, answer: null, bucket: 7, ...NOTHING_BORNE },
  ]);
  return id;
}

test("days and models add up to the same whether or not their hours have been added up yet", async () => {
  const keyId = createId(START_MS);
  await target.createKey(keyId, "credit");
  const funding = { keyId, reference: "a", kind: "grant", amount: 9_000_000_000n, about: null, actor: "test" } as const;
  await target.fund(funding);
  await spend(keyId, { model: "cheap", charge: 100_000_000n, outcome: "completed" });
  await spend(keyId, { model: "cheap", charge: 50_000_000n, outcome: "client_gone" });
  const firstHour = new Date(target.nowMs());
  await target.advance(2 * HOUR_MS);
  await spend(keyId, { model: "dear", charge: 500_000_000n, outcome: "completed" });
  await spend(keyId, { model: "cheap", charge: 0n, outcome: "upstream_failed" });
  const secondHour = new Date(target.nowMs());

  const fromRecords = await report(keyId, 3);
  await database.query("select rollup_v1($1)", [firstHour]);
  const fromBoth = await report(keyId, 3);
  await database.query("select rollup_v1($1)", [secondHour]);
  await spend(keyId, { model: "dear", charge: 0n, outcome: "completed" });
  const later = await report(keyId, 3);

  const total = (cost: string, requests: number, cutOff: number) => ({
    cost,
    requests,
    cut_off: cutOff,
    input_tokens: requests === 0 ? 0 : 4,
    output_tokens: requests === 0 ? 0 : 6,
  });
  expect(fromRecords.days).toEqual([
    { day: "2026-01-04", ...total("0", 0, 0) },
    { day: "2026-01-05", ...total("0.15", 2, 1) },
    { day: "2026-01-06", ...total("0.5", 2, 0) },
  ]);
  expect(fromRecords.models.map(({ model, cost, requests }) => [model, cost, requests])).toEqual([
    ["dear", "0.5", 1],
    ["cheap", "0.15", 3],
  ]);
  expect(fromBoth).toEqual(fromRecords);
  expect(later.days.map(({ cost, requests }) => [cost, requests])).toEqual([
    ["0", 0],
    ["0.15", 2],
    ["0.5", 3],
  ]);
});

test("a key that used nothing has its days all the same", async () => {
  const keyId = createId(START_MS + 1);
  await target.createKey(keyId, "tokens");

  const { unit, days, models } = await report(keyId, 2);

  expect({ unit, models }).toEqual({ unit: "tokens", models: [] });
  expect(days.map(({ cost }) => cost)).toEqual(["0", "0"]);
});

test("an hour that was added up before it ended lacks nothing when the next one has been added up too", async () => {
  const keyId = createId(target.nowMs());
  await target.createKey(keyId, "credit");
  await target.fund({ keyId, reference: "a", kind: "grant", amount: 9_000_000_000n, about: null, actor: "test" });
  await spend(keyId, { model: "m", charge: 100_000_000n, outcome: "completed" });
  await database.query("select rollup_v1($1)", [new Date(target.nowMs())]);
  await spend(keyId, { model: "m", charge: 20_000_000n, outcome: "completed" });
  await target.advance(HOUR_MS);
  await spend(keyId, { model: "m", charge: 3_000_000n, outcome: "completed" });
  await database.query("select rollup_v1($1)", [new Date(target.nowMs())]);

  expect((await report(keyId, 2)).models).toMatchObject([{ model: "m", cost: "0.123", requests: 3 }]);
});

test("a request that was swept and then undone has cost nothing", async () => {
  const keyId = createId(target.nowMs() + 1);
  await target.createKey(keyId, "credit");
  await target.fund({ keyId, reference: "a", kind: "grant", amount: 9_000_000_000n, about: null, actor: "test" });
  const [id, sweeper] = [createId(target.nowMs()), createId(START_MS + 2)];
  const ask = {
    bucket: 7,
    keyVersion: 1,
    rpmLimit: null,
    unlimited: false,
    claim: null,
    lifetimeMs: 60_000,
    priceVersion: 1,
  };
  await target.admit(createId(START_MS), [{ ...ask, id, keyId, least: 1n, most: 1_000_000_000n, model: "m" }]);
  const come = { cost: 70_000_000n, inputTokens: 2, outputTokens: 3, contentDelivered: true };
  await target.checkpoint([{ id, bucket: 7, seq: 1, ...come }]);
  for (const _ of ["one", "two", "three", "four"]) {
    await target.heartbeat(sweeper);
    await target.advance(5_000);
  }
  await target.heartbeat(sweeper);
  expect(await target.sweep(sweeper, 10)).toMatchObject([{ id, charged: 70_000_000n }]);
  expect((await report(keyId, 1)).models).toMatchObject([{ cost: "0.07", cut_off: 1 }]);

  await target.void([{ id, keyId, bucket: 7 }]);
  expect((await report(keyId, 1)).models).toEqual([]);
});

test("a request undone after its hour was added up has cost nothing from that moment on [MON-36]", async () => {
  const keyId = createId(target.nowMs() + 2);
  await target.createKey(keyId, "credit");
  await target.fund({ keyId, reference: "a", kind: "grant", amount: 9_000_000_000n, about: null, actor: "test" });
  const id = await spend(keyId, { model: "m", charge: 100_000_000n, outcome: "completed" });
  await spend(keyId, { model: "m", charge: 20_000_000n, outcome: "completed" });
  await database.query("select rollup_v1($1)", [new Date(target.nowMs())]);
  await target.advance(3 * HOUR_MS);
  await spend(keyId, { model: "m", charge: 3_000_000n, outcome: "completed" });
  await database.query("select rollup_v1($1)", [new Date(target.nowMs())]);
  expect((await report(keyId, 2)).models).toMatchObject([{ cost: "0.123", requests: 3 }]);

  await target.void([{ id, keyId, bucket: 7 }]);

  expect((await report(keyId, 2)).models).toMatchObject([{ cost: "0.023", requests: 2 }]);
});
