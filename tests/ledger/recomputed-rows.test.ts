import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createId } from "../../src/core/ids.ts";
import { parseCredits } from "../../src/core/money/money.ts";
import { creditRate } from "../../src/core/money/pay-rate.ts";
import { readHours } from "../../src/core/money/price-hours.ts";
import { byPart, byWord, type Tariff, TARIFF_PARTS, type WhenLine } from "../../src/core/money/price.ts";
import { isPeak, tariffFault, tiersSold } from "../../src/core/money/rate-rows.ts";
import { storedLines } from "../../src/core/money/stored-lines.ts";
import { NO_USAGE, type Usage } from "../../src/core/money/usage.ts";
import type { Database } from "../../src/db/database.ts";
import { createShowStore } from "../../src/records/show-store.ts";
import { roundedSum } from "../../src/core/money/price-lines.ts";
import { linesOf } from "../../src/records/show-request.ts";
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
/** Factors, so that they leave no gap beside sizes. */
const where = fc.subarray<[WhenLine["when"], bigint]>([
  [{ tier: "flex" }, NANO / 2n],
  [{ tier: "priority" }, 2n * NANO],
  [{ region: "eu" }, 3n * NANO],
  [{ tier: "flex", region: "eu" }, 5n * NANO],
]);
/** Around the moment at which all of this happens, a Thursday's noon. */
const HOURS = [
  "11:40-12:00 12:10-12:20",
  "thu-fri 00:00-12:05 except 2026-01-16",
  "fri-thu 12:00-24:00",
  "sat-wed 00:00-24:00",
];
const hourly = fc.option(
  fc.tuple(fc.constantFrom(...HOURS), fc.constantFrom<WhenLine["when"]>({}, { tier: "flex" }, { inputAbove: 3_000 })),
);
const tariffs = fc
  .record({ parts, lines, where, hourly })
  .map(({ parts: base, lines: chosen, where: factors, hourly: at }): Tariff => ({
    ...base,
    toolCallNano: { web_search: 7n },
    when: [
      ...chosen
        .toSorted((one, other) => one.at - other.at)
        .map(({ side, at, said: what, search }): WhenLine => ({
          when: { [side]: at * 1_000 },
          toolCallNano: search === null ? {} : { web_search: search },
          ...what,
        })),
      ...factors.map(([when, times]): WhenLine => ({ when, nano: {}, toolCallNano: {}, times, sold: true })),
      ...(at === null
        ? []
        : [{ when: { ...at[1], hours: at[0] }, nano: {}, toolCallNano: {}, times: 2n * NANO, sold: true }]),
    ],
  }))
  .filter((tariff) => tariffFault(tariff) === null);
const MEDIA = ["input_audio", "input_image", "input_video", "cache_read_audio", "output_audio", "output_image"];
/** At a step, beside one, and anywhere. */
const usages = fc
  .record({
    thousands: fc.integer({ min: 0, max: 42 }),
    beside: fc.constantFrom(-1, 0, 1, 17, 500),
    shares: fc.array(fc.integer({ min: 0, max: 10 }), { minLength: 3, maxLength: 3 }),
    outputTokens: fc.nat({ max: 5_000 }),
    thought: fc.integer({ min: 0, max: 12 }),
    searches: fc.nat({ max: 3 }),
    media: fc.option(fc.dictionary(fc.constantFrom(...MEDIA), fc.nat({ max: 900 }))),
    served: fc.record(
      { tier: fc.constantFrom("default", "flex", "priority", "turbo"), region: fc.constantFrom("any", "eu", "us") },
      { requiredKeys: [] },
    ),
  })
  .map(
    ({
      thousands,
      beside,
      shares: [read = 0, written = 0, kept = 0],
      outputTokens,
      thought,
      searches,
      media,
      served,
    }): Usage => {
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
        ...(media === null ? {} : { parts: media }),
        served,
      };
    },
  );

const WEEK = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const timeOf = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;

describe.skipIf(server?.reason !== null)("a price with lines", () => {
  let database: Database;
  let close: () => Promise<void> = async () => undefined;
  let key: LoneKey;
  let inPeak = 0;
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
        const [asked = "default"] = fc.sample(fc.constantFrom("default", ...tiersSold(tariff)), 1);
        const atMs = NOON_MS + fc.sample(fc.integer({ min: -25, max: 25 }), 1)[0]! * 60_000;
        const rate = creditRate(tariff, asked, isPeak(tariff, atMs));
        if (isPeak(tariff, atMs)) inPeak += 1;
        const price = rate.costOf(usage);
        const way = { provider: "p", upstreamModel: "u", credential: "env:KEY", said: "", ...rate.servedAs(usage) };
        const ask = askOf(key, { id: createId(atMs), most: price + 1n, model });
        await ledger.admit(createId(NOON_MS), [ask]);
        await ledger.settle([
          endOf(ask, {
            price,
            usage,
            served: way,
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
    const ways = await database.query<{ tier: string; region: string }>(
      "select distinct tier, region from charge_in_words",
    );
    expect(ways.length).toBeGreaterThan(1);
    expect(inPeak).toBeGreaterThan(0);
    expect(await recomputed()).toMatchObject({ recomputed: 300, mismatches: [] });
  });

  test("holds in the same hours for the ledger and for the gateway", async () => {
    const random = fc.sample(
      fc.record({
        days: fc.option(fc.tuple(fc.constantFrom(...WEEK), fc.option(fc.constantFrom(...WEEK)))),
        times: fc.array(fc.tuple(fc.nat({ max: 1_439 }), fc.integer({ min: 1, max: 1_440 })), {
          minLength: 1,
          maxLength: 3,
        }),
        except: fc.option(fc.constantFrom("2026-01-15", "2026-02-28 2026-03-01")),
        atMs: fc.integer({ min: Date.UTC(2026, 0, 1) / 60_000, max: Date.UTC(2026, 3, 1) / 60_000 }),
        millisecond: fc.constantFrom(0, -1, 1),
      }),
      2_000,
    );
    const texts = random.map(({ days, times, except }) =>
      [
        ...(days === null ? [] : [days[1] === null ? days[0] : days.join("-")]),
        ...times.map(([from, span]) => `${timeOf(from)}-${timeOf(Math.min(1_440, from + span))}`),
        ...(except === null ? [] : [`except ${except}`]),
      ].join(" "),
    );
    const moments = random.map(({ atMs, millisecond }) => atMs * 60_000 + millisecond);
    const rows = await database.query<{ holds: boolean }>(
      "select in_hours(q.hours, q.at) as holds from unnest($1::text[], $2::timestamptz[]) with ordinality q (hours, at, n) order by n",
      [texts, moments.map((ms) => new Date(ms))],
    );
    const expected = texts.map((text, at) => readHours(text)?.(moments[at] ?? 0));
    expect(rows.map(({ holds }) => holds)).toEqual(expected);
    expect(new Set(expected)).toEqual(new Set([true, false]));
  });

  test("is shown line by line, at the row that the request was charged at", async () => {
    const show = createShowStore(database);
    for (const { id, price } of charged.slice(0, 50)) {
      const shown = await show.charge(id);
      if (!shown?.tariff) throw new Error("a charge is shown with its price");
      expect(roundedSum(linesOf(shown.tariff, shown))).toBe(price);
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
