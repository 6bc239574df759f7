import { afterAll, beforeAll, expect, test } from "vitest";
import { ENGINES } from "../../../tests/ledger/engines.ts";
import { askOf, endOf, type LoneKey, loneKey } from "../../../tests/support/lone-key.ts";
import { createId } from "../../core/ids.ts";
import type { UsageGroup } from "../../core/money/usage-group.ts";
import type { Outcome } from "../../core/money/usage.ts";
import type { Database } from "../../db/database.ts";
import { createLedgerStore } from "../turn/ledger-store.ts";
import { createReadStatement } from "./statement-store.ts";
import { createReadUsage } from "./usage-report-store.ts";
import { createReportUsage } from "./usage-report.ts";

const START_MS = Date.UTC(2026, 0, 5, 22, 30);
const HOUR_MS = 3_600_000;
let database: Database;
let nowMs = START_MS;
let close: () => Promise<void> = async () => undefined;
beforeAll(async () => {
  const engine = ENGINES.find(({ reason }) => reason === null);
  if (engine) ({ database, close } = await engine.open());
  await advance(0);
});
afterAll(() => close());

async function advance(ms: number): Promise<void> {
  nowMs += ms;
  await database.query("update test_clock set now = $1", [new Date(nowMs)]);
}

const report = (
  scope: Parameters<ReturnType<typeof createReadUsage>>[0]["scope"],
  days: number,
  by: UsageGroup = "model",
) => createReportUsage({ readUsage: createReadUsage(database) })({ scope, days, by });
const ofKey = ({ keyId }: Pick<LoneKey, "keyId">) => ({ kind: "key", id: keyId }) as const;
const costs = (groups: readonly { name: string; credits: bigint; requests: number }[]) =>
  groups.map(({ name, credits, requests }) => [name, credits, requests]);

async function spend(
  key: Pick<LoneKey, "keyId" | "bucket" | "unit" | "chain">,
  { model = "m", price, outcome = "completed" }: { model?: string; price: bigint; outcome?: Outcome },
): Promise<string> {
  const [row] = await database.query<{ version: bigint }>("select version from balance where key_id = $1", [key.keyId]);
  const ask = askOf(key, { id: createId(nowMs), most: 1_000_000_000n, model, keyVersion: Number(row?.version) });
  const ledger = createLedgerStore(database);
  expect(await ledger.admit(createId(START_MS), [ask])).toMatchObject([{ kind: "admitted" }]);
  const details = { provider: "p", status: 200, firstByteMs: 1, tookMs: 2, estimated: false };
  await ledger.settle([endOf(ask, { price, outcome, record: outcome === "client_gone" ? null : details })]);
  return ask.id;
}

test("days and models add up to the same whether or not their hours have been added up yet", async () => {
  const key = await loneKey(database, { funds: 9_000_000_000n });
  await spend(key, { model: "cheap", price: 100_000_000n });
  await spend(key, { model: "cheap", price: 50_000_000n, outcome: "client_gone" });
  const firstHour = new Date(nowMs);
  await advance(2 * HOUR_MS);
  await spend(key, { model: "dear", price: 500_000_000n });
  await spend(key, { model: "cheap", price: 0n, outcome: "upstream_failed" });

  const fresh = await report(ofKey(key), 3);
  await database.query("select rollup_v1($1)", [firstHour]);
  const fromBoth = await report(ofKey(key), 3);

  expect(fresh.days.map(({ day, credits, requests, cutOff }) => [day, credits, requests, cutOff])).toEqual([
    ["2026-01-04", 0n, 0, 0],
    ["2026-01-05", 150_000_000n, 2, 1],
    ["2026-01-06", 500_000_000n, 2, 0],
  ]);
  expect(costs(fresh.groups)).toEqual([
    ["dear", 500_000_000n, 1],
    ["cheap", 150_000_000n, 3],
  ]);
  expect(fromBoth).toEqual(fresh);
});

test("hours and days that the keeper has added up say the same as the charges, and a void is gone at once [MON-36]", async () => {
  const key = await loneKey(database, { funds: 9_000_000_000n });
  await database.query("select from rollup_due_v1(1)");
  const id = await spend(key, { price: 100_000_000n });
  await spend(key, { price: 20_000_000n });
  const addUp = async (): Promise<void> => {
    for (const { hour } of await database.query<{ hour: Date }>("select hour from rollup_due_v1(200) hour"))
      await database.query("select rollup_v1($1)", [hour]);
  };
  await advance(48 * HOUR_MS);
  await addUp();
  await spend(key, { price: 3_000_000n });
  expect(costs((await report(ofKey(key), 5)).groups)).toEqual([["m", 123_000_000n, 3]]);
  expect(
    await database.query("select 1 from usage_day d join chain h on h.id = d.chain where h.key_id = $1", [key.keyId]),
  ).toHaveLength(1);

  await createLedgerStore(database).void([{ id, keyId: key.keyId, bucket: 7 }]);
  expect(costs((await report(ofKey(key), 5)).groups)).toEqual([["m", 23_000_000n, 2]]);
  await addUp();
  expect(costs((await report(ofKey(key), 5)).groups)).toEqual([["m", 23_000_000n, 2]]);
});

test("a key that used nothing has its days all the same", async () => {
  const { days, groups } = await report(ofKey(await loneKey(database)), 2);

  expect(groups).toEqual([]);
  expect(days.map(({ credits }) => credits)).toEqual([0n, 0n]);
});

test("what a key used stays with the accounts it had, and a statement adds up to what the purse has", async () => {
  const [org, one, two] = [createId(1), createId(2), createId(3)];
  const keyId = createId(nowMs);
  await database.script(`
    insert into account (id, bucket, path, name) values ('${org}', 7, array['${org}'::uuid], 'Acme');
    insert into account (id, bucket, parent_id, path, name) values ('${one}', 7, '${org}', array['${org}'::uuid, '${one}'], 'One'),
      ('${two}', 7, '${org}', array['${org}'::uuid, '${two}'], 'Two');
    insert into counter (bucket, account_id, kind, unit) values (7, '${org}', 'purse', 'credit');
    insert into key (id, bucket, mode, account_id, label) values ('${keyId}', 7, 'credit', '${one}', 'Ann')`);
  const [purse] = await database.query<{ id: number }>("select id from counter where account_id = $1", [org]);
  await database.query("select fund_v1($1, 'invoice 1', 'purchase', 1000000000, 'test')", [purse?.id]);
  const tree = async () => {
    const sql = "select chain as id, counters from balance where key_id = $1";
    const [chain] = await database.query<{ id: number; counters: number[] }>(sql, [keyId]);
    return { keyId, bucket: 7, unit: "credit", chain: chain ?? { id: 0, counters: [] } } as const;
  };
  await spend(await tree(), { price: 100_000_000n });
  await database.query("select key_move_v1($1, $2)", [keyId, two]);
  await advance(1_000);
  await spend(await tree(), { price: 30_000_000n });

  const account = (id: string) => ({ kind: "account", id }) as const;
  expect(costs((await report(account(one), 3)).groups)).toEqual([["m", 100_000_000n, 1]]);
  expect(costs((await report(account(org), 3, "account")).groups)).toEqual([
    ["One", 100_000_000n, 1],
    ["Two", 30_000_000n, 1],
  ]);
  expect(costs((await report(account(org), 3, "key")).groups)).toEqual([["Ann", 130_000_000n, 2]]);
  expect(costs((await report(account(org), 3, "label")).groups)).toEqual([["Ann", 130_000_000n, 2]]);
  expect(costs((await report({ kind: "all" }, 3, "account")).groups)).toContainEqual(["Acme", 130_000_000n, 2]);

  const month = new Date(nowMs).toISOString().slice(0, 7);
  const statement = await createReadStatement(database)(org, month);
  expect(statement).toMatchObject({
    running: true,
    opening: 0n,
    funded: 1_000_000_000n,
    charged: 130_000_000n,
    refunded: 0n,
    closing: 870_000_000n,
    fundings: [{ reference: "invoice 1" }],
    lines: [{ key: "Ann", model: "m", requests: 2n, credits: 130_000_000n }],
  });
  expect(await createReadStatement(database)(two, month)).toMatchObject({
    opening: null,
    charged: 30_000_000n,
    closing: null,
  });
  await advance(31 * 24 * HOUR_MS);
  const next = new Date(nowMs).toISOString().slice(0, 7);
  expect(await createReadStatement(database)(org, next)).toMatchObject({
    opening: 870_000_000n,
    closing: 870_000_000n,
    lines: [],
  });
  expect(await createReadStatement(database)(org, "2999-01")).toBeNull();
});
