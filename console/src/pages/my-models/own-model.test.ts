import { expect, test } from "vitest";
import { costOf, readModel } from "./own-model.ts";

const LISTED: Parameters<typeof readModel>[0] = {
  id: "acme",
  object: "model",
  created: 1,
  owned_by: "acme",
  display_name: "Acme",
  context_window: 128_000,
  max_output_tokens: null,
  pricing: { unit: "credits_per_million_tokens", input: 0.000000001, output: 1234.5 },
  speed: { output_per_second: 81.3, ttft_p50_ms: null },
};

test("prices are read to the last digit, and input's counts where the cache has none", () => {
  expect(readModel(LISTED)).toEqual({
    id: "acme",
    name: "Acme",
    context: 128_000,
    output: null,
    embeds: false,
    prices: { input: 1n, output: 1_234_500_000_000n, cacheRead: 1n },
    speed: { perSecond: 81.3, firstMs: null },
  });
});

test("a cost is the sum of its parts, rounded half up and once", () => {
  const prices = { input: 2_000_000_000n, output: 10_000_000_000n, cacheRead: 500_000_000n };

  expect(costOf(prices, { input: 1000, cached: 400, output: 100 })).toBe(600n * 2000n + 400n * 500n + 100n * 10_000n);
  expect(costOf({ input: 1n, output: 500_000n, cacheRead: 1n }, { input: 1, cached: 5, output: 0 })).toBe(0n);
  expect(costOf({ input: 1n, output: 500_000n, cacheRead: 1n }, { input: 0, cached: 5, output: 1 })).toBe(1n);
});

test("a model that makes embeddings is paid for its input alone", () => {
  const { max_output_tokens: _, ...listed } = LISTED;
  const model = readModel({ ...listed, capabilities: { embeddings: true }, pricing: { input: 0.02 } });

  expect(model).toMatchObject({ embeds: true, output: null, prices: { input: 20_000_000n, output: 0n } });
});
