import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { commandSequence, namesOf } from "../../../tests/ledger/commands.ts";
import { databaseTarget } from "../../../tests/ledger/database-target.ts";
import { drive, openKeys } from "../../../tests/ledger/drive.ts";
import { ENGINES } from "../../../tests/ledger/engines.ts";
import { askOf, creditsOf, endOf, loneKey } from "../../../tests/support/lone-key.ts";
import { createId, requestIdOf } from "../../core/ids.ts";
import { cursorOf } from "../../core/page.ts";
import type { Database } from "../../db/database.ts";
import { createReadJournal } from "./journal-store.ts";
import { createShowJournal, type JournalLine, type JournalOf } from "./journal.ts";
import { createLedgerStore } from "../turn/ledger-store.ts";

const NOON_MS = Date.UTC(2026, 0, 5, 12);
let database: Database;
let close: () => Promise<void> = async () => undefined;
beforeAll(async () => {
  const engine = ENGINES.find(({ reason }) => reason === null);
  if (engine) ({ database, close } = await engine.open());
});
afterAll(() => close());

const setClock = (ms: number): Promise<unknown> => database.query("update test_clock set now = $1", [new Date(ms)]);
const show = (of: JournalOf, page: { limit: number; after: string | null }) =>
  createShowJournal({ readJournal: createReadJournal(database) })(of, page);
const key = (id: string) => ({ kind: "key", id }) as const;

async function pages(of: JournalOf, limit: number): Promise<JournalLine[]> {
  const entries: JournalLine[] = [];
  for (let after: string | null = null; ;) {
    const page = await show(of, { limit, after });
    entries.push(...page.data);
    if (page.next === null) return entries;
    after = page.next;
  }
}

test("page by page is the same as at once, every charge is listed, and a purse begins with nothing", async () => {
  let run = 0;
  const play = fc.asyncProperty(commandSequence(40), async (commands) => {
    run += 1;
    const names = namesOf(run);
    const target = await databaseTarget(database, NOON_MS);
    await openKeys(target, names);
    for (const command of commands) await drive(target, names, command);

    for (const keyId of [0, 1, 2, 4, 5, 6].map(names.keyId)) {
      const { data, opening, counterKind } = await show(key(keyId), { limit: 1_000, after: null });
      expect(await pages(key(keyId), 3)).toEqual(data);
      expect(data.map(({ atMs }) => atMs)).toEqual(data.map(({ atMs }) => atMs).sort((one, other) => other - one));
      if (counterKind === "purse") expect(opening).toBe(0n);
      const sql =
        "select count(*)::int as count from charge c join balance b on b.key_no = c.key_no where b.key_id = $1";
      const [charges] = await database.query<{ count: number }>(sql, [keyId]);
      expect(data.filter(({ settledAtMs }) => settledAtMs !== null).length).toBe(charges?.count);
    }
  });

  await fc.assert(play, { numRuns: 10, endOnFailure: true });
});

test("each entry says what the purse had after it, which request it was, and what it was for", async () => {
  await setClock(NOON_MS);
  const lone = await loneKey(database, { keyId: createId(NOON_MS) });
  const id = createId(NOON_MS + 60_000);
  const ledger = createLedgerStore(database);
  const actor = "somebody";
  await ledger.fund({ counter: lone.counter, reference: "invoice", kind: "purchase", amount: 2_000_000_000n, actor });
  await setClock(NOON_MS + 60_000);
  const ask = askOf(lone, { id, most: 500_000_000n });
  await ledger.admit(createId(NOON_MS), [ask]);
  await setClock(NOON_MS + 65_000);
  await ledger.settle([endOf(ask, { price: 250_000_000n, outcome: "client_gone" })]);
  await ledger.refund({ keyId: lone.keyId, reference: "sorry", about: id, amounts: creditsOf(50_000_000n), actor });

  const { data, next, opening } = await show(key(lone.keyId), { limit: 10, after: null });

  expect({ next, opening }).toEqual({ next: null, opening: 0n });
  const seen = data.map((it) => [it.kind, it.credits, it.running, it.requestId, it.model, it.reference]);
  expect(seen).toEqual([
    ["refund", 50_000_000n, 1_800_000_000n, requestIdOf(id), null, "sorry"],
    ["client_gone", -250_000_000n, 1_750_000_000n, requestIdOf(id), "m", null],
    ["purchase", 2_000_000_000n, 2_000_000_000n, null, null, "invoice"],
  ]);
  expect(data[1]).toMatchObject({
    atMs: NOON_MS + 60_000,
    settledAtMs: NOON_MS + 65_000,
    inputTokens: 3,
    outputTokens: 4,
  });
});

test("the journal of a key that lost all sums and records beside it is whole: it is found by itself alone", async () => {
  await setClock(NOON_MS);
  const lone = await loneKey(database, { funds: 1_000n });
  const ledger = createLedgerStore(database);
  const asks = Array.from({ length: 7 }, () => askOf(lone, { id: createId(NOON_MS) }));
  await ledger.admit(createId(NOON_MS), asks);
  await ledger.settle(asks.map((ask) => endOf(ask)));
  await database.script("delete from usage_rollup; delete from usage_day");

  expect(await pages(key(lone.keyId), 2)).toHaveLength(8);
});

test("a limit's entries say how much of the period was used after them, and nothing of periods that are over", async () => {
  let nowMs = NOON_MS;
  await setClock(nowMs);
  const lone = await loneKey(database, { mode: "token_budget" });
  const ledger = createLedgerStore(database);
  await ledger.setLimit({ counter: lone.counter, reference: "b", amount: 100n, period: "day", actor: "somebody" });
  const pass = async (ms: number): Promise<void> => {
    nowMs += ms;
    await setClock(nowMs);
  };
  await pass(1_000);
  const spend = async (price: bigint): Promise<void> => {
    // An id is made a little before its request reaches the ledger.
    const ask = askOf(lone, { id: createId(nowMs - 1), most: 50n });
    await ledger.admit(createId(NOON_MS), [ask]);
    await ledger.settle([endOf(ask, { price })]);
    await pass(1_000);
  };
  await spend(30n);
  await pass(86_400_000);
  await spend(5n);
  await spend(7n);

  const { data } = await show(key(lone.keyId), { limit: 10, after: null });

  expect(data.map(({ kind, tokens, running }) => [kind, tokens, running])).toEqual([
    ["completed", -7n, 12n],
    ["completed", -5n, 5n],
    ["turn", 100n, 0n],
    ["completed", -30n, null],
    ["limit", 100n, null],
  ]);
});

test("an account's journal has the payments of its purse and the charges of every key below it", async () => {
  await setClock(NOON_MS);
  const [org, team] = [createId(11), createId(12)];
  const keys = [createId(NOON_MS), createId(NOON_MS)];
  await database.script(`
    insert into account (id, bucket, path, name) values ('${org}', 7, array['${org}'::uuid], 'Acme');
    insert into account (id, bucket, parent_id, path, name) values ('${team}', 7, '${org}', array['${org}'::uuid, '${team}'], 'Search');
    insert into counter (bucket, account_id, kind, unit) values (7, '${org}', 'purse', 'credit')`);
  const [purse] = await database.query<{ id: number }>("select id from counter where account_id = $1", [org]);
  const counter = purse?.id ?? 0;
  const ledger = createLedgerStore(database);
  await ledger.fund({ counter, reference: "acme 1", kind: "purchase", amount: 100n, actor: "test" });
  for (const keyId of keys) {
    await database.query("insert into key (id, bucket, mode, account_id) values ($1, 7, 'credit', $2)", [keyId, team]);
    const [chain] = await database.query<{ id: number }>("select chain as id from balance where key_id = $1", [keyId]);
    const payer = { keyId, bucket: 7, unit: "credit", chain: { id: chain?.id ?? 0, counters: [counter] } } as const;
    const ask = askOf(payer, { id: createId(NOON_MS + 1) });
    await ledger.admit(createId(NOON_MS), [ask]);
    await ledger.settle([endOf(ask)]);
  }

  const of = { kind: "account", id: org } as const;
  const { data, opening } = await show(of, { limit: 10, after: null });

  expect(opening).toBe(0n);
  expect(data.map(({ kind, credits, running }) => [kind, credits, running])).toEqual([
    ["completed", -7n, 86n],
    ["completed", -7n, 93n],
    ["purchase", 100n, 100n],
  ]);
  expect(new Set(data.flatMap(({ keyId }) => keyId ?? []))).toEqual(new Set(keys));
  expect(await pages(of, 1)).toEqual(data);

  // Others were busy since, so that none of its charges is among the newest.
  const other = await loneKey(database, { keyId: createId(NOON_MS) });
  await database.query(
    `insert into charge (hold_id, admitted_at, at, key_no, chain, kind)
     select (uuid_floor($1)::text::varchar(24) || lpad(to_hex(n), 12, '0'))::uuid, $1, $1, b.key_no, b.chain, 1
       from generate_series(1, 10100) n, balance b where b.key_id = $2`,
    [new Date(NOON_MS + 60_000), other.keyId],
  );
  expect((await show(of, { limit: 10, after: null })).data).toEqual(data);
  expect(await pages(of, 1)).toEqual(data);
});

const ENTRY = "018bcfe5-0000-7000-8001-000000000000";

test.each([
  "",
  "x",
  ENTRY,
  `${ENTRY}.0`,
  "'; drop",
  cursorOf("journal of somebody else", [ENTRY, "0"]),
  cursorOf(`journal of ${createId(NOON_MS)}`, [ENTRY]),
])("the cursor %j is refused", async (after) => {
  await expect(show(key(createId(NOON_MS)), { limit: 1, after })).rejects.toMatchObject({ param: "after" });
});

test.each(["x", "1.5", "1".repeat(21)])("a cursor that carries %j as a balance is refused", async (running) => {
  const id = createId(NOON_MS);
  const after = cursorOf(`journal of ${id}`, [ENTRY, running]);

  await expect(show(key(id), { limit: 1, after })).rejects.toMatchObject({ param: "after" });
});
