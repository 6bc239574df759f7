import { afterAll, beforeAll, expect, test } from "vitest";
import { ENGINES } from "../../../tests/ledger/engines.ts";
import { askOf, endOf, loneKey } from "../../../tests/support/lone-key.ts";
import { createId, requestIdOf } from "../../core/ids.ts";
import type { Database } from "../../db/database.ts";
import { createLedgerStore } from "../turn/ledger-store.ts";
import { createReadServed } from "./served-charges-store.ts";
import { createListServed, type ServedCharge } from "./served-charges.ts";

const DAY_MS = 86_400_000;
const MIDNIGHT_MS = Date.UTC(2026, 0, 5);
let database: Database;
let close: () => Promise<void> = async () => undefined;
beforeAll(async () => {
  const engine = ENGINES.find(({ reason }) => reason === null);
  if (engine) ({ database, close } = await engine.open());
});
afterAll(() => close());

const setClock = (ms: number): Promise<unknown> => database.query("update test_clock set now = $1", [new Date(ms)]);

async function chargesOf(day: string, limit: number): Promise<ServedCharge[]> {
  const list = createListServed({ readServed: createReadServed(database) });
  const charges: ServedCharge[] = [];
  for (let after: string | null = null; ;) {
    const page = await list({ day, limit, after });
    charges.push(...page.data);
    if (page.next === null) return charges;
    after = page.next;
  }
}

test("the charges of a day are listed once each, with what was served, and those that touch its edges within a minute", async () => {
  await setClock(MIDNIGHT_MS - DAY_MS);
  const lone = await loneKey(database, { keyId: createId(MIDNIGHT_MS - DAY_MS) });
  const ledger = createLedgerStore(database);
  await ledger.fund({
    counter: lone.counter,
    reference: "invoice",
    kind: "purchase",
    amount: 9_000_000_000n,
    actor: "ann",
  });
  const served = {
    provider: "acme",
    upstreamModel: "m-2026",
    credential: "env:ACME",
    tier: "flex",
    region: "eu",
    said: "flex",
  };
  const usage = {
    inputTokens: 100,
    cacheReadTokens: 30,
    cacheWriteTokens: 20,
    cacheWrite1hTokens: 5,
    outputTokens: 50,
    reasoningTokens: 10,
    toolCalls: { web_search: 2 },
    parts: { input_audio: 7 },
  };
  const record = { provider: "acme", status: 200, firstByteMs: 1, tookMs: 2, estimated: true };
  const ids: string[] = [];
  for (const [fromMs, toMs] of [
    [-200_000, -61_000],
    [-70_000, -59_000],
    [3_600_000, 3_605_000],
    [DAY_MS - 5_000, DAY_MS + 90_000],
    [DAY_MS + 61_000, DAY_MS + 70_000],
  ] as const) {
    const id = createId(MIDNIGHT_MS + fromMs);
    ids.push(requestIdOf(id));
    await setClock(MIDNIGHT_MS + fromMs);
    const ask = askOf(lone, { id, most: 500_000_000n });
    await ledger.admit(createId(MIDNIGHT_MS + fromMs), [ask]);
    await setClock(MIDNIGHT_MS + toMs);
    await ledger.settle([{ ...endOf(ask, { price: 250_000_000n, record }), usage, served }]);
  }

  const charges = await chargesOf("2026-01-05", 2);

  expect(charges.map(({ requestId }) => requestId)).toEqual(ids.slice(1, 4));
  expect(charges[1]).toEqual({
    requestId: ids[2],
    admittedAtMs: MIDNIGHT_MS + 3_600_000,
    atMs: MIDNIGHT_MS + 3_605_000,
    provider: "acme",
    upstreamModel: "m-2026",
    credential: "env:ACME",
    tier: "flex",
    region: "eu",
    kind: "completed",
    estimated: true,
    ...usage,
  });
});
