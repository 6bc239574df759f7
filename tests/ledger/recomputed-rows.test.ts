import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createId } from "../../src/core/ids.ts";
import { parseCredits } from "../../src/core/money/money.ts";
import { chargeOf } from "../../src/core/money/pay-rate.ts";
import { byPart, byWord, type Tariff, TARIFF_PARTS, type WhenLine } from "../../src/core/money/price.ts";
import { tariffFault } from "../../src/core/money/rate-rows.ts";
import { storedLines } from "../../src/core/money/stored-lines.ts";
import { NO_USAGE, type Usage } from "../../src/core/money/usage.ts";
import type { Database } from "../../src/db/database.ts";
import { createShowStore } from "../../src/records/show-store.ts";
import { priceLines, roundedSum } from "../../src/core/money/price-lines.ts";
import { createLedgerStore } from "../../src/ledger/turn/ledger-store.ts";
import { verify } from "../../src/ledger/verify/verify.ts";
import { createVerifyStore } from "../../src/ledger/verify/verify-store.ts";
import { ENGINES } from "./engines.ts";
import { askOf, endOf, type LoneKey, loneKey } from "../support/lone-key.ts";

const NANO = 1_000_000_000n;
const NOON_MS = Date.UTC(2026, 0, 15, 12);
const [server] = ENGINES;

const nanoOf = (text: string) => parseCredits(text) ?? -1n;
const amount = fc.bigInt({ min: 0n, max: 200n * NANO });
const parts = fc.record(byPart(TARIFF_PARTS, () => amount));
const said = fc.oneof(
  parts.map((nano) => ({ nano, times: null, sold: true })),
  fc.constantFrom(2n * NANO, NANO / 2n, 3n * NANO).map((times) => ({ nano: {}, times, sold: true })),
  fc.constant({ nano: {}, times: null, sold: false }),
);
const lines = fc.array(
  fc.record({
    side: fc.constantFrom("inputAbove", "inputFrom"),
    at: fc.integer({ min: 1, max: 40 }),
    said,
    search: fc.option(amount),
  }),
  { maxLength: 4 },
);
const tariffs = fc
  .record({ parts, lines })
  .map(({ parts: base, lines: chosen }): Tariff => ({
    ...base,
    toolCallNano: { web_search: 7n },
    when: chosen
      .toSorted((one, other) => one.at - other.at)
      .map(({ side, at, said: what, search }): WhenLine => ({
        when: { [side]: at * 1_000 },
        toolCallNano: search === null ? {} : { web_search: search },
        ...what,
      })),
  }))
  .filter((tariff) => tariffFault(tariff) === null);
/** At a step, beside one, and anywhere. */
const usages = fc
  .record({
    thousands: fc.integer({ min: 0, max: 42 }),
    beside: fc.constantFrom(-1, 0, 1, 17, 500),
    shares: fc.array(fc.integer({ min: 0, max: 10 }), { minLength: 3, maxLength: 3 }),
    outputTokens: fc.nat({ max: 5_000 }),
    thought: fc.integer({ min: 0, max: 12 }),
    searches: fc.nat({ max: 3 }),
  })
  .map(({ thousands, beside, shares: [read = 0, written = 0, kept = 0], outputTokens, thought, searches }): Usage => {
    const inputTokens = Math.max(0, thousands * 1_000 + beside);
    const cacheReadTokens = Math.floor((inputTokens * read) / 20);
    const cacheWriteTokens = Math.floor((inputTokens * written) / 20);
    return {
      ...NO_USAGE,
      inputTokens,
      cacheReadTokens,
      cacheWriteTokens,
      cacheWrite1hTokens: Math.floor((cacheWriteTokens * kept) / 10),
      outputTokens,
      reasoningTokens: Math.floor((outputTokens * thought) / 10),
      toolCalls: searches === 0 ? {} : { web_search: searches },
    };
  });

describe.skipIf(server?.reason !== null)("a price with lines", () => {
  let database: Database;
  let close: () => Promise<void> = async () => undefined;
  let key: LoneKey;
  const charged: { id: string; price: bigint; tariff: Tariff; usage: Usage }[] = [];

  beforeAll(async () => {
    if (!server) return;
    ({ database, close } = await server.open());
    await database.query("update test_clock set now = $1", [new Date(NOON_MS)]);
    await database.query("update migration set applied_at = $1", [new Date(NOON_MS - 86_400_000)]);
    const ledger = createLedgerStore(database);
    key = await loneKey(database, { keyId: createId(NOON_MS), funds: 10n ** 9n * NANO });
    for (const [index, tariff] of fc.sample(tariffs, 60).entries()) {
      const model = `m${index}`;
      await database.query(
        "insert into model (id, owned_by, provider, max_output_tokens) values ($1, 'a', 'p', 100000)",
        [model],
      );
      const columns = Object.keys(byWord(TARIFF_PARTS, () => null)).map((word) => `${word}_nano`);
      await database.query(
        `insert into price (model_id, version, effective_from, tool_call_nano, when_lines, ${columns.join(", ")})
         select $1, 1, now(), '{"web_search": "7"}', $2::jsonb, ${columns.map((_, at) => `$${at + 3}::bigint`).join(", ")}`,
        [
          model,
          tariff.when?.length ? JSON.stringify(storedLines(tariff)) : null,
          ...TARIFF_PARTS.map((part) => tariff[part]),
        ],
      );
      for (const usage of fc.sample(usages, 5)) {
        const price = chargeOf(tariff, usage);
        const ask = askOf(key, { id: createId(NOON_MS + index), most: price + 1n, model });
        await ledger.admit(createId(NOON_MS), [ask]);
        await ledger.settle([
          endOf(ask, {
            price,
            usage,
            record: { provider: "p", status: 200, firstByteMs: 1, tookMs: 2, estimated: false },
          }),
        ]);
        charged.push({ id: ask.id, price, tariff, usage });
      }
    }
  });
  afterAll(() => close());

  const recomputed = () =>
    verify(createVerifyStore(database), { keyId: key.keyId, recompute: true, onProgress: () => undefined });

  test("is recomputed to the nano, for inputs on both sides of every step [I7]", async () => {
    expect(charged.length).toBe(300);
    expect(charged.some(({ tariff }) => (tariff.when ?? []).length > 1)).toBe(true);
    expect(await recomputed()).toMatchObject({ recomputed: 300, mismatches: [] });
  });

  test("is shown line by line, at the row that the request was charged at", async () => {
    const show = createShowStore(database);
    for (const { id, price } of charged.slice(0, 50)) {
      const shown = await show.charge(id);
      if (!shown?.tariff) throw new Error("a charge is shown with its price");
      expect(roundedSum(priceLines(shown.tariff, shown.usage))).toBe(price);
    }
  });

  test("whose charge is a nano off is found", async () => {
    const wrong = charged.filter(({ price }) => price > 0n).slice(0, 3);
    await database.query("alter table charge disable trigger user");
    await database.query("update charge set credits = credits - 1 where hold_id = any ($1::uuid[])", [
      wrong.map(({ id }) => id),
    ]);

    const { mismatches } = await recomputed();

    const found = mismatches.filter(({ column }) => column.startsWith("charge.credits"));
    expect(found.map(({ expected, found: stored }) => nanoOf(expected) - nanoOf(stored))).toEqual([1n, 1n, 1n]);
  });
});
