import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { commandSequence, namesOf } from "../../tests/ledger/commands.ts";
import { databaseTarget } from "../../tests/ledger/database-target.ts";
import { drive, openKeys } from "../../tests/ledger/drive.ts";
import { ENGINES } from "../../tests/ledger/engines.ts";
import { createId, requestIdOf } from "../core/ids.ts";
import { cursorOf } from "../core/page.ts";
import { parseCredits } from "../core/money.ts";
import { NO_USAGE } from "../core/usage.ts";
import type { Database } from "../db/database.ts";
import { createReadJournal } from "./journal-store.ts";
import { type JournalJson, journalView } from "../wire/admin/books.ts";
import { createShowJournal } from "./journal.ts";
import { createLedgerStore } from "./ledger-store.ts";
import { NOTHING_BORNE } from "../../tests/support/nothing-borne.ts";

const NOON_MS = Date.UTC(2026, 0, 5, 12);
let database: Database;
let close: () => Promise<void> = async () => undefined;
beforeAll(async () => {
  const engine = ENGINES.at(-1);
  if (engine) ({ database, close } = await engine.open());
});
afterAll(() => close());

const show = async (id: string, page: { limit: number; after: string | null }) => {
  const journal = await createShowJournal({ readJournal: createReadJournal(database) })(id, page);
  return journalView({ key: { id, prefix: "tgc_00000000" }, ...journal });
};

async function pages(keyId: string, limit: number): Promise<JournalJson["data"]> {
  const entries: JournalJson["data"][number][] = [];
  for (let after: string | null = null; ;) {
    const page = await show(keyId, { limit, after });
    entries.push(...page.data);
    if (page.next === null) return entries;
    after = page.next;
  }
}

test("page by page is the same as at once, and the list says what it does not show", async () => {
  let run = 0;
  const play = fc.asyncProperty(commandSequence(40), async (commands) => {
    run += 1;
    const names = namesOf(run);
    const target = await databaseTarget(database, NOON_MS);
    await openKeys(target, names);
    for (const command of commands) await drive(target, names, command);

    for (const keyId of [names.keyId(0), names.keyId(1), names.keyId(2)]) {
      const { data: entries, opening, unit } = await show(keyId, { limit: 1_000, after: null });
      expect(await pages(keyId, 3)).toEqual(entries);
      expect(entries.map(({ at }) => at)).toEqual(
        entries
          .map(({ at }) => at)
          .sort()
          .toReversed(),
      );
      if (unit === "tokens") continue;
      const charges = await database.query<{ id: string; amount: bigint }>(
        "select hold_id as id, amount from charge where key_id = $1",
        [keyId],
      );
      const listed = new Set(entries.map((entry) => entry.request_id));
      const missing = charges.filter(({ id }) => !listed.has(requestIdOf(id)));
      const unlisted = missing.reduce((total, { amount }) => total + amount, 0n);
      expect(parseCredits((opening ?? "").replace("-", ""))).toBe(unlisted);
    }
  });

  await fc.assert(play, { numRuns: 10, endOnFailure: true });
});

test("each entry says what the balance was after it, which request it was, and what it was for", async () => {
  const [keyId, id] = [createId(NOON_MS), createId(NOON_MS + 60_000)];
  const target = await databaseTarget(database, NOON_MS);
  const ledger = createLedgerStore(database);
  await target.createKey(keyId, "credit");
  const money = { keyId, about: null, actor: "somebody" };
  await ledger.fund({ ...money, reference: "invoice", kind: "purchase", amount: 2_000_000_000n });
  await target.advance(60_000);
  const ask = { bucket: 7, keyVersion: 1, rpmLimit: null, unlimited: false, claim: null, lifetimeMs: 60_000 };
  await ledger.admit(createId(NOON_MS), [
    { ...ask, id, keyId, least: 1n, most: 500_000_000n, model: "m", priceVersion: 1 },
  ]);
  await target.advance(5_000);
  const usage = { ...NO_USAGE, inputTokens: 3, outputTokens: 4 };
  const end = {
    outcome: "client_gone",
    usage,
    contentDelivered: true,
    record: null,
    answer: null,
    bucket: 7,
    ...NOTHING_BORNE,
  } as const;
  await ledger.settle([{ ...end, id, keyId, charge: 250_000_000n }]);
  await ledger.fund({ ...money, reference: "sorry", kind: "refund", amount: 50_000_000n, about: id });

  const { data: entries, next, opening } = await show(keyId, { limit: 10, after: null });

  expect({ next, opening }).toEqual({ next: null, opening: "0" });
  const nothing = { model: null, input_tokens: null, output_tokens: null, settled_at: null };
  expect(entries).toEqual([
    {
      ...nothing,
      at: "2026-01-05T12:01:05.000Z",
      kind: "refund",
      amount: "0.05",
      running: "1.8",
      request_id: requestIdOf(id),
      reference: "sorry",
      actor: "somebody",
    },
    {
      at: "2026-01-05T12:01:00.000Z",
      settled_at: "2026-01-05T12:01:05.000Z",
      kind: "client_gone",
      amount: "-0.25",
      running: "1.75",
      request_id: requestIdOf(id),
      model: "m",
      input_tokens: 3,
      output_tokens: 4,
      reference: null,
      actor: null,
    },
    {
      ...nothing,
      at: "2026-01-05T12:00:00.000Z",
      kind: "purchase",
      amount: "2",
      running: "2",
      request_id: null,
      reference: "invoice",
      actor: "somebody",
    },
  ]);
});

test("a token key's entries say how much of the period was used after them, and nothing of periods that are over", async () => {
  const keyId = createId(NOON_MS + 2);
  const target = await databaseTarget(database, NOON_MS);
  const ledger = createLedgerStore(database);
  await target.createKey(keyId, "tokens");
  await ledger.setBudget({ keyId, reference: "b", budget: 100n, period: "day", actor: "somebody" });
  await target.advance(1_000);
  const spend = async (charge: bigint): Promise<void> => {
    // An id is made a little before its request reaches the ledger.
    const id = createId(target.nowMs() - 1);
    const ask = { bucket: 7, keyVersion: 1, rpmLimit: null, unlimited: false, claim: null, lifetimeMs: 60_000 };
    await ledger.admit(createId(NOON_MS), [{ ...ask, id, keyId, least: 1n, most: 50n, model: "m", priceVersion: 1 }]);
    const record = { provider: "p", status: 200, firstByteMs: 1, tookMs: 2, estimated: false };
    const end = {
      outcome: "completed",
      usage: NO_USAGE,
      contentDelivered: true,
      record,
      answer: null,
      bucket: 7,
      ...NOTHING_BORNE,
    } as const;
    await ledger.settle([{ ...end, id, keyId, charge }]);
    await target.advance(1_000);
  };
  await spend(30n);
  await target.advance(86_400_000);
  await spend(5n);
  await spend(7n);

  const { data: entries } = await show(keyId, { limit: 10, after: null });

  expect(entries.map(({ kind, amount, running }) => [kind, amount, running])).toEqual([
    ["completed", "7", "12"],
    ["completed", "5", "5"],
    ["period_reset", "100", "0"],
    ["completed", "30", null],
    ["budget", "100", null],
  ]);
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
  await expect(show(createId(NOON_MS), { limit: 1, after })).rejects.toMatchObject({ param: "after" });
});

test.each(["x", "1.5", "1".repeat(21)])("a cursor that carries %j as a balance is refused", async (running) => {
  const id = createId(NOON_MS);

  await expect(show(id, { limit: 1, after: cursorOf(`journal of ${id}`, [ENTRY, running]) })).rejects.toMatchObject({
    param: "after",
  });
});
