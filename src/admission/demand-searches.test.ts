import fc from "fast-check";
import { expect, test } from "vitest";
import { chargeOf } from "../core/money/pay-rate.ts";
import type { Tariff, WhenLine } from "../core/money/price.ts";
import { tariffFault } from "../core/money/rate-rows.ts";
import { GROUNDED_PROMPT, NO_USAGE, type Usage } from "../core/money/usage.ts";
import { mostInputRead, type ProviderCalls } from "../core/request/provider-tools.ts";
import { type DemandFacts, demandOf } from "./demand.ts";

const amount = fc.bigInt({ min: 0n, max: 100_000_000_000n });
const rates = fc.record({ inputNano: amount, outputNano: amount, cacheReadNano: amount, cacheWrite5mNano: amount });
type Rates = Record<"inputNano" | "outputNano" | "cacheReadNano" | "cacheWrite5mNano", bigint>;
const search = fc.bigInt({ min: 0n, max: 50_000_000n });

/** A price counts searches, or requests that led to any. */
const counted = fc.constantFrom("web_search", GROUNDED_PROMPT);

const lineOf = (when: WhenLine["when"], nano: Rates, calls: Record<string, bigint>): WhenLine => ({
  when,
  nano,
  toolCallNano: calls,
  times: null,
  sold: true,
});
/** With a step, or a region that costs otherwise, in which a search may cost otherwise too. */
const tariffs = fc
  .record({
    base: rates,
    each: search,
    counts: counted,
    line: fc.option(fc.tuple(fc.option(fc.nat({ max: 3_000 })), rates, fc.option(search))),
  })
  .map(({ base, each, counts, line }): Tariff & { version: number } => ({
    ...base,
    toolCallNano: { [counts]: each },
    version: 1,
    ...(line && {
      when: [
        lineOf(
          line[0] === null ? { region: "us" } : { inputAbove: line[0] },
          line[1],
          line[2] === null ? {} : { [counts]: line[2] },
        ),
      ],
    }),
  }));

type Turn = { calls: number; brings: number; says: number };
/** What a provider does within its bounds: turns that each call some tools at once, bring something and say something. */
const turns = fc.array(
  fc.record({ calls: fc.nat({ max: 4 }), brings: fc.nat({ max: 100 }), says: fc.nat({ max: 100 }) }),
  {
    maxLength: 8,
  },
);
const asked = fc.record({
  most: fc.integer({ min: 0, max: 6 }),
  tokensEach: fc.option(fc.integer({ min: 1, max: 2_000 })),
  prompt: fc.integer({ min: 1, max: 1_500 }),
  contextWindow: fc.integer({ min: 1_000, max: 5_000 }),
  limit: fc.option(fc.integer({ min: 1, max: 900 }), { nil: null }),
});

type Bounds = { calls: ProviderCalls; prompt: number; contextWindow: number; output: number };

/** What such a provider bills: the whole of what it reads, each time it reads it. */
function billedFor(
  { calls: { most, tokensEach }, prompt, contextWindow, output }: Bounds,
  plan: readonly Turn[],
): Usage {
  let [read, said, brought, called] = [prompt, 0, 0, 0];
  for (const { calls, brings, says } of plan) {
    const now = Math.min(calls, most - called);
    if (now === 0) break;
    said = Math.min(output, said + Math.floor((output * says) / 200));
    called += now;
    brought += Math.floor(((tokensEach ?? contextWindow) * now * brings) / 100);
    read += Math.min(contextWindow, prompt + said + brought);
  }
  return {
    ...NO_USAGE,
    inputTokens: read,
    outputTokens: output,
    toolCalls: called === 0 ? {} : { web_search: called, [GROUNDED_PROMPT]: 1 },
  };
}

const factsOf = (
  price: DemandFacts["model"]["price"],
  asking: typeof asked extends fc.Arbitrary<infer Asked> ? Asked : never,
): DemandFacts => ({
  units: ["credit"],
  tier: "default",
  beganAtMs: 0,
  model: {
    price,
    contextWindow: asking.contextWindow,
    maxOutputTokens: 1_000,
    outputCeiling: null,
    outputFloor: 100,
    tokenFactor: 1,
  },
  input: { likely: 1, most: asking.prompt, mostPredicted: 0 },
  mediaTokens: { image: null, smallImage: null, document: null },
  choices: 1,
  maxOutputTokens: asking.limit,
  calls: { tools: ["web_search"], most: asking.most, tokensEach: asking.tokensEach },
});

test("no request with searches costs more than it reserved, whatever they find within what a call may bring", () => {
  fc.assert(
    fc.property(
      fc.record({
        tariff: tariffs,
        asking: asked,
        plan: turns,
        share: fc.nat({ max: 1_000 }),
        cached: fc.nat({ max: 100 }),
      }),
      ({ tariff, asking, plan, share, cached }) => {
        fc.pre(tariffFault(tariff) === null);
        const facts = factsOf(tariff, asking);
        const { calls, model } = facts;
        const demand = demandOf(facts);
        const [least, most] = [demand.least.credits ?? -1n, demand.most.credits ?? -1n];
        const granted = least + ((most - least) * BigInt(share)) / 1_000n;
        const output = demand.unlimited
          ? demand.affordableOutputTokens({ credits: granted, tokens: null })
          : Math.min(asking.limit ?? 0, 1_000);
        const bounds = {
          calls: calls ?? { tools: [], most: 0, tokensEach: null },
          prompt: Math.min(asking.prompt, asking.contextWindow),
          contextWindow: model.contextWindow ?? 0,
          output,
        };
        const usage = billedFor(bounds, plan);
        const cacheReadTokens = Math.floor((usage.inputTokens * cached) / 100);
        const billed: Usage = {
          ...usage,
          cacheReadTokens,
          cacheWriteTokens: Math.floor((usage.inputTokens - cacheReadTokens) / 2),
          served: share % 2 === 0 ? { region: "us" } : {},
        };

        expect(output).toBeGreaterThanOrEqual(demand.unlimited ? 100 : output);
        expect(chargeOf(tariff, billed)).toBeLessThanOrEqual(granted);
      },
    ),
    { numRuns: 5_000 },
  );
});

test("the bound is what is billed by a provider that does all it may", () => {
  const calls: ProviderCalls = { tools: ["web_search"], most: 3, tokensEach: 100 };
  const read = { prompt: 50, output: 10, contextWindow: 300 };

  expect(mostInputRead(read, calls)).toBe(50 + 160 + 260 + 300);
  expect(mostInputRead(read, { ...calls, tokensEach: null })).toBe(50 + 3 * 300);
  expect(mostInputRead(read, { ...calls, most: 0 })).toBe(50);
  expect(mostInputRead({ ...read, contextWindow: null }, { ...calls, most: 1, tokensEach: null })).toBe(2_000_050);
});

test("a limit that a refusal suggests pays for the bytes it adds as often as they are read", () => {
  const price: Tariff & { version: number } = {
    inputNano: 10n ** 9n,
    outputNano: 10n ** 9n,
    toolCallNano: { web_search: 7_000n },
    version: 1,
  };
  const asking = { most: 2, tokensEach: 10, prompt: 20, contextWindow: 4_000, limit: null };
  const demand = demandOf(factsOf(price, asking));
  // Whatever is written is output once, and input twice.
  const costOf = (output: number): bigint => BigInt(3 * 20 + 10 + 20 + 3 * output) * 1_000n + 14_000n;

  expect(demand.least.credits).toBe(costOf(100));
  expect(demand.most.credits).toBe(costOf(1_000));
  const granted = { credits: costOf(500), tokens: null };
  expect(demand.affordableOutputTokens(granted)).toBe(500);
  expect(demand.affordableOutputTokens({ credits: costOf(500) - 1n, tokens: null })).toBe(499);
  expect(demand.advisableOutputTokens(granted, 40)).toBe(500 - 40);
  expect(demand.affordableOutputTokens({ credits: 1n, tokens: null })).toBe(0);
});
