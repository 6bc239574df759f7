import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ENGINES } from "../../../tests/ledger/engines.ts";
import { KEY_ORDER } from "../../../tests/support/key-order.ts";
import { amountsOf, askOf, endOf, type LoneKey, readLoneKey } from "../../../tests/support/lone-key.ts";
import { openProviderCredentials } from "../../app/catalogue/provider-credentials.ts";
import { createOperator } from "../../app/create-operator.ts";
import { createCatalogueStore } from "../../catalogue/catalogue-store.ts";
import { createId } from "../../core/ids.ts";
import { type Decimal, formatDecimal, sum, ZERO } from "../../core/money/decimal.ts";
import { priceLines } from "../../core/money/price-lines.ts";
import type { Tariff } from "../../core/money/price.ts";
import { NO_USAGE, type Usage } from "../../core/money/usage.ts";
import type { Database, Queryable } from "../../db/database.ts";
import { createReadMarginGroups } from "../../ledger/report/margin-groups-store.ts";
import { createLedgerStore } from "../../ledger/turn/ledger-store.ts";
import type { OperatorEvents } from "../../telemetry/operator-events.ts";
import type { Operator } from "../operator.ts";

const CREDIT = 1_000_000_000n;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const FIRST_MS = Date.UTC(2026, 0, 5);
const NOW_MS = FIRST_MS + 10 * DAY_MS;
const anna = { actor: "anna" };
const LARGE = { provider: "acme", upstreamModel: "large" };

let database: Database;
let close: () => Promise<void> = async () => undefined;
let operator: Operator;
let payers: { key: LoneKey; account: string }[];
beforeAll(async () => {
  const engine = ENGINES.find(({ reason }) => reason === null);
  if (engine) ({ database, close } = await engine.open());
  const events = new Proxy({} as OperatorEvents, { get: () => () => undefined });
  const settings = { key: null, previousKey: null, directories: "", allowedReferences: "" };
  operator = createOperator({
    database,
    credentials: openProviderCredentials(settings, {}),
    events,
    clock: { nowMs: () => NOW_MS, elapsedMs: () => 0 },
    acceptForeign: "off",
    creditUsd: "0.5",
  });
  await setClock(FIRST_MS - DAY_MS);
  const route = {
    conformant: true,
    priority: 0,
    weight: 1,
    connectTimeoutMs: 1,
    firstByteTimeoutMs: 1,
    idleTimeoutMs: 1,
  };
  await createCatalogueStore(database).apply({
    providers: [
      {
        name: "acme",
        baseUrl: "https://acme.example/v1",
        credentialRef: "none",
        unknownMembers: null,
        openMembers: null,
        windowCheck: null,
        traceparent: null,
        platform: null,
      },
    ],
    models: ["large", "small"].map((upstreamModel) => ({
      id: upstreamModel,
      ownedBy: "acme",
      provider: "acme",
      displayName: null,
      tagline: null,
      contextWindow: 1_000,
      maxOutputTokens: 1_000,
      outputCeiling: null,
      outputFloor: 1,
      tokenFactor: 1,
      capabilities: {},
      price: null,
      upcomingPrices: [],
      routes: [{ ...route, provider: "acme", upstreamModel, dialect: "chat" as const }],
    })),
  });
  payers = [];
  for (const name of ["Acme", "Bolt"]) {
    const account = await operator.accounts.create({ name, parent: null, kind: "organisation" }, anna);
    await operator.accounts.create({ name: "Search", parent: name, kind: "team" }, anna);
    const { key } = await operator.keys.create(
      { ...KEY_ORDER, account: `${name}/Search`, credit: 1_000n * CREDIT },
      anna,
    );
    payers.push({ key: await readLoneKey(database, key.id), account: account.id });
  }
  const { key } = await operator.keys.create({ ...KEY_ORDER, mode: "token_budget", budget: 100_000_000n }, anna);
  // A key without an account has one of its own, with its id.
  payers.push({ key: await readLoneKey(database, key.id), account: key.id });
});
afterAll(() => close());

const setClock = (ms: number): Promise<unknown> => database.query("update test_clock set now = $1", [new Date(ms)]);

type Call = {
  payer: number;
  atMs: number;
  tookMs: number;
  price: bigint;
  refunded: bigint;
  upstreamModel: string;
  tier: string;
  usage: Usage;
};

async function charge({ payer, atMs, tookMs, price, refunded, upstreamModel, tier, usage }: Call): Promise<void> {
  const lone = payers[payer]?.key;
  if (lone === undefined) throw new Error("there is such a payer");
  const ledger = createLedgerStore(database);
  await setClock(atMs);
  const [row] = await database.query<{ version: bigint }>("select version from balance where key_id = $1", [
    lone.keyId,
  ]);
  const named = { id: createId(atMs), keyVersion: Number(row?.version), model: `sold-${upstreamModel}` };
  const ask = askOf(lone, { ...named, most: 1_000_000n });
  const [verdict] = await ledger.admit(createId(atMs), [ask]);
  if (verdict?.kind !== "admitted") throw new Error(`not admitted: ${verdict?.kind}`);
  await setClock(atMs + tookMs);
  const served = { provider: "acme", upstreamModel, credential: "env:A", tier, region: "any", said: "" };
  const record = { provider: "acme", status: 200, firstByteMs: 1, tookMs, estimated: false };
  await ledger.settle([{ ...endOf(ask, { price, record }), usage, served }]);
  if (refunded === 0n) return;
  const reference = `back ${ask.id}`;
  const amounts = amountsOf(lone.unit, refunded);
  await ledger.refund({ keyId: lone.keyId, reference, about: ask.id, amounts, actor: "anna" });
}

const plain = (inputNano: bigint, more: Partial<Tariff> = {}): Tariff => ({
  inputNano,
  outputNano: 4n * inputNano,
  toolCallNano: {},
  ...more,
});

const STEPS = plain(2_000_000_002n, {
  cacheReadNano: 200_000_000n,
  outputReasoningNano: 4n,
  inputAudioNano: 5_000_000_000n,
  toolCallNano: { web_search: 10_000_000n },
  when: [
    {
      when: { inputAbove: 500 },
      nano: {
        inputNano: 4_000_000_000n,
        outputNano: 8_000_000_000n,
        cacheReadNano: 400_000_000n,
        outputReasoningNano: 6n,
        inputAudioNano: 9_000_000_000n,
      },
      toolCallNano: {},
      times: null,
      sold: true,
    },
    { when: { tier: "flex" }, nano: {}, toolCallNano: {}, times: CREDIT / 2n, sold: true },
  ],
});
/** What acme asks: from these hours of the first day on. */
const COSTS: Record<string, { hour: number; cost: Tariff | null }[]> = {
  large: [
    { hour: 6, cost: plain(1_000_000_000n) },
    { hour: 30, cost: STEPS },
    { hour: 60, cost: null },
  ],
  small: [{ hour: 0, cost: plain(7n, { toolCallNano: { web_search: 1n } }) }],
};

function usdOf({ upstreamModel, atMs, tier, usage }: Call): Decimal | null {
  const found = COSTS[upstreamModel]?.findLast(({ hour }) => FIRST_MS + hour * HOUR_MS <= atMs)?.cost ?? null;
  const lacks = Object.keys(usage.toolCalls).some((name) => found?.toolCallNano[name] === undefined);
  if (found === null || lacks) return null;
  // The code that charges requests, of each by itself.
  return {
    digits: priceLines(found, usage, tier).reduce((all, { millionths }) => all + millionths, 0n),
    exponent: -15,
  };
}

const calls = fc
  .record({
    payer: fc.constantFrom(0, 1, 2),
    // Also beside midnight, and beside the moments at which costs change.
    minute: fc.oneof(
      fc.integer({ min: 0, max: 3 * 24 * 60 }),
      fc
        .tuple(fc.constantFrom(0, 6, 24, 30, 48, 60), fc.integer({ min: -3, max: 1 }))
        .map(([hour, minutes]) => Math.max(0, hour * 60 + minutes)),
    ),
    tookMs: fc.constantFrom(0, 5_000, 200_000),
    price: fc.bigInt({ min: 0n, max: 1_000_000n }),
    refunded: fc.constantFrom(0n, 0n, 3n, 10n ** 9n),
    upstreamModel: fc.constantFrom("large", "large", "small", "unknown"),
    tier: fc.constantFrom("default", "flex"),
    input: fc.constantFrom(0, 10, 500, 501, 900),
    read: fc.nat(300),
    written: fc.nat(300),
    outputTokens: fc.nat(400),
    thought: fc.nat(500),
    searches: fc.constantFrom(0, 0, 1, 3),
    audio: fc.option(fc.nat(200)),
  })
  .map(({ minute, input, read, written, outputTokens, thought, searches, audio, price, refunded, ...call }): Call => ({
    ...call,
    price,
    refunded: refunded < price ? refunded : price,
    atMs: FIRST_MS + minute * 60_000,
    usage: {
      ...NO_USAGE,
      inputTokens: input,
      cacheReadTokens: read,
      cacheWriteTokens: written,
      cacheWrite1hTokens: Math.floor(written / 3),
      outputTokens,
      reasoningTokens: thought,
      toolCalls: searches === 0 ? {} : { web_search: searches },
      ...(audio === null ? {} : { parts: { input_audio: audio } }),
    },
  }));

/** What a group of charges comes to, each priced by itself. */
function expected(of: readonly Call[]) {
  const paid = of.filter(({ payer, price, usage }) => payer !== 2 && !isNothing(price, usage));
  const inTokens = of.filter(({ payer, price, usage }) => payer === 2 && !isNothing(price, usage));
  const known = paid.filter((call) => usdOf(call) !== null);
  const unknown = paid.filter((call) => usdOf(call) === null);
  const nano = (rows: readonly Call[], name: "price" | "refunded") => rows.reduce((all, row) => all + row[name], 0n);
  const usd = (rows: readonly Call[]) => formatDecimal(rows.map((row) => usdOf(row) ?? ZERO).reduce(sum, ZERO));
  return {
    requests: known.length,
    charged: nano(known, "price"),
    refunded: nano(known, "refunded"),
    cost: usd(known),
    noCost: { requests: unknown.length, chargedNano: nano(unknown, "price"), refundedNano: nano(unknown, "refunded") },
    tokens: { requests: inTokens.length, cost: usd(inTokens) },
  };
}
const isNothing = (price: bigint, { inputTokens, outputTokens, toolCalls }: Usage): boolean =>
  price === 0n && inputTokens === 0 && outputTokens === 0 && Object.keys(toolCalls).length === 0;

type Report = Awaited<ReturnType<Operator["costs"]["showMargins"]>>;
const shown = ({ requests, chargedNano, refundedNano, costUsd, noCost, inTokens }: Report["total"]) => ({
  requests,
  charged: chargedNano,
  refunded: refundedNano,
  cost: formatDecimal(costUsd),
  noCost,
  tokens: { requests: inTokens.requests, cost: formatDecimal(inTokens.costUsd) },
});

test("margins are those of each charge by itself, at the cost of its moment, by model, day and account", async () => {
  for (const [upstreamModel, given] of Object.entries(COSTS))
    for (const { hour, cost } of given)
      await operator.costs.set(
        { provider: "acme", upstreamModel, cost, effectiveFromMs: FIRST_MS + hour * HOUR_MS },
        anna,
      );
  const made: Call[] = [];
  // Alike but for their parts: the cost of the hour has a price for the one and none for the other.
  const alike = {
    payer: 0,
    atMs: FIRST_MS + 7 * HOUR_MS,
    tookMs: 0,
    price: 9n,
    refunded: 0n,
    upstreamModel: "large",
    tier: "default",
  };
  for (const more of [{ parts: { input_audio: 1 } }, { toolCalls: { web_search: 1 } }]) {
    const call = { ...alike, usage: { ...NO_USAGE, inputTokens: 10, ...more } };
    await charge(call);
    made.push(call);
  }
  const groupOf = {
    model: ({ upstreamModel }: Call) => `sold-${upstreamModel}`,
    day: ({ atMs, tookMs }: Call) => new Date(atMs + tookMs).toISOString().slice(0, 10),
    account: ({ payer }: Call) => payers[payer]?.account ?? null,
    provider: () => "acme",
  };

  await fc.assert(
    fc.asyncProperty(fc.array(calls, { minLength: 1, maxLength: 12 }), async (some) => {
      for (const call of some) {
        await charge(call);
        made.push(call);
      }
      for (const by of ["model", "day", "account", "provider"] as const) {
        const report = await operator.costs.showMargins({ by, from: "2026-01-04", to: "2026-01-09" });

        expect(shown(report.total)).toEqual(expected(made));
        for (const group of report.groups)
          expect([group.id, shown(group)]).toEqual([
            group.id,
            expected(made.filter((call) => groupOf[by](call) === group.id)),
          ]);
      }
    }),
    { numRuns: 8, endOnFailure: true },
  );
});

test("a day that takes longer than a statement may is read in parts, which add up to the same", async () => {
  const cuts = { steps: [501], moments: [new Date(FIRST_MS + 6 * HOUR_MS)], hours: ["mon-fri 06:00-12:00"] };
  let stopped = 0;
  const slow: Queryable = {
    query: (sql, values = []) => {
      const [from, , , to] = values as [Date, unknown, unknown, Date];
      if (to.getTime() - from.getTime() <= 2 * HOUR_MS) return database.query(sql, values);
      stopped++;
      return Promise.reject(Object.assign(new Error("stopped"), { code: "57014" }));
    },
  };
  const sums = async (queryable: Queryable) => {
    const all = new Map<string, bigint>();
    for (const group of await createReadMarginGroups(queryable)("2026-01-05", cuts)) {
      const { counts, requests, chargedNano, refundedNano, ...key } = group;
      const figures = { ...counts, requests: BigInt(requests), chargedNano, refundedNano };
      for (const [name, count] of Object.entries(figures)) {
        const place = JSON.stringify([key, name]);
        all.set(place, (all.get(place) ?? 0n) + count);
      }
    }
    return all;
  };

  const whole = await sums(database);
  expect(whole.size).toBeGreaterThan(0);
  expect(await sums(slow)).toEqual(whole);
  expect(stopped).toBeGreaterThan(1);
});

test("days outside the range are left out, and a range is at most 92 days", async () => {
  const margins = (from: string | null, to: string | null) => operator.costs.showMargins({ by: "day", from, to });

  expect(await margins("2025-12-01", "2025-12-31")).toMatchObject({ groups: [], total: { requests: 0 } });
  expect(await margins(null, null)).toMatchObject({ from: "2025-12-17", to: "2026-01-15" });
  await expect(margins("2026-01-02", "2026-01-01")).rejects.toThrow("Input should not be after `to`");
  await expect(margins("2025-01-01", "2026-01-01")).rejects.toThrow("at most 92 days");
});

test("a cost is written once, and what is said again changes nothing", async () => {
  const order = { ...LARGE, cost: plain(5n), effectiveFromMs: NOW_MS };
  expect(await operator.costs.set(order, anna)).toMatchObject([{ kind: "cost", change: "added", name: "acme/large" }]);
  expect(await operator.costs.set(order, anna)).toEqual([]);
  expect(await operator.costs.set({ ...order, cost: STEPS }, anna)).toMatchObject([
    { change: "changed", before: plain(5n), after: STEPS },
  ]);
  expect(await operator.costs.set({ ...order, cost: null }, anna)).toMatchObject([
    { change: "withdrawn", after: null },
  ]);
  expect(await operator.costs.set({ ...order, cost: null }, anna)).toEqual([]);
  const { data } = await operator.costs.list({ limit: 100, after: null });
  expect(data.findLast(({ cost }) => cost !== null)?.cost).toMatchObject(STEPS);
  await expect(database.query("update cost set given_at = now()")).rejects.toThrow("cost is a journal");
  await expect(database.query("delete from cost")).rejects.toThrow("cost is a journal");
});

test("a cost with a gap is refused with the line that it lacks, and one of an unknown route with those that there are", async () => {
  const gap = plain(5n, {
    when: [
      {
        when: { tier: "flex", inputAbove: 5 },
        nano: { inputNano: 1n, outputNano: 1n },
        toolCallNano: {},
        times: null,
        sold: true,
      },
    ],
  });

  await expect(operator.costs.set({ ...LARGE, cost: gap, effectiveFromMs: null }, anna)).rejects.toThrow(
    "there is no price for { tier: flex } alone: add a line with its prices",
  );
  await expect(
    operator.costs.set({ provider: "acme", upstreamModel: "lrage", cost: plain(5n), effectiveFromMs: null }, anna),
  ).rejects.toThrow('No route leads to the model "lrage" of provider "acme". Its routes: large, small.');
});
