import { expect, test } from "vitest";
import type { Tariff } from "../../../core/money/price.ts";
import { importText, importView } from "./import-text.ts";
import { factsText, modelFacts, modelListing, modelView } from "./model-text.ts";

const tariff: Tariff = {
  inputNano: 2_500_000_000n,
  outputNano: 1n,
  cacheReadNano: null,
  cacheWrite5mNano: null,
  cacheWrite1hNano: null,
  toolCallNano: {},
};
const facts = { contextWindow: 128_000, maxOutputTokens: 8_192, reasoning: null, tariff };
const route = {
  id: "r",
  provider: "acme",
  baseUrl: "https://api.example.com",
  credentialRef: "none",
  upstreamModel: "large-1",
  dialect: "chat",
  conformant: false,
  priority: 0,
  weight: 1,
  connectTimeoutMs: 1,
  firstByteTimeoutMs: 1,
  idleTimeoutMs: 1,
  concurrencyLimit: null,
} as const;
const model: Parameters<typeof modelView>[0] = {
  id: "large",
  createdAtMs: 0,
  ownedBy: "acme",
  provider: "acme",
  displayName: null,
  tagline: null,
  contextWindow: 128_000,
  maxOutputTokens: null,
  outputCeiling: 4_096,
  outputFloor: 1_024,
  tokenFactor: 1,
  capabilities: { reasoning: false },
  price: { ...tariff, version: 1, effectiveFromMs: 0 },
  upcomingPrices: [{ ...tariff, version: 2, effectiveFromMs: Date.parse("2090-01-01") }],
  acceptedAlarms: [],
  routes: [route, { ...route, provider: "spare" }, { ...route, provider: "third" }],
  published: true,
  obstacles: [],
};

test("a list of models says price, limit, routes and why one cannot be used", () => {
  const unusable = { ...model, id: "small", price: null, routes: [], obstacles: ["no route"] };
  const lines = modelListing([model, unusable], "*");

  expect(lines.split("\n").slice(1)).toEqual([
    "large    2.5  0.000000001   128000        4096  acme (chat, normalised), spare (chat, normalised), 1 more  published",
    "small                       128000        4096                                                             no route",
  ]);
  expect(modelListing([], "*")).toContain("tollgate models import");
  expect(modelListing([], "gpt*")).toBe("No model matches gpt*.");
  expect(modelView(model)).toMatchObject({
    capabilities: { reasoning: false },
    price: { input: "2.5", output: "0.000000001" },
    upcoming_prices: [{ effective_from: "2090-01-01T00:00:00.000Z", input: "2.5" }],
    routes: [{ provider: "acme", conformant: false }, {}, {}],
  });
});

test("a model is shown with what it reserves, and what to set where nothing is known", () => {
  const lines = modelFacts({ ...model, routes: [{ ...route, upstreamModel: "openai/gpt-5.6" }] });

  expect(lines).toMatch(/cache marks +removed: the price has no cache_write_5m\./);
  expect(
    modelFacts({ ...model, price: { ...tariff, version: 1, effectiveFromMs: 0, cacheWrite5mNano: 1n } }),
  ).toContain("kept for five minutes");
  expect(lines).toContain("a picture reserves   at most 36000 tokens (published)");
  expect(lines).toContain("a document reserves  at most 460000 tokens (published)");
  expect(modelFacts(model)).toContain("Set image_tokens in its capabilities.");
  expect(modelFacts({ ...model, capabilities: { image_tokens: 900 } })).toContain("at most 900 tokens\n");
  expect(modelView(model)).toMatchObject({ media_tokens: { image: null, small_image: null, document: null } });
});

test("facts are told whole when they are new, and as old → new where they differ", () => {
  expect(factsText(null, facts)).toBe("input 2.5, output 0.000000001, context 128000, max output 8192");
  expect(factsText(facts, { ...facts, contextWindow: null, tariff: { ...tariff, outputNano: 2n } })).toBe(
    "output 0.000000001 → 0.000000002, context 128000 → none",
  );
  expect(factsText(facts, { ...facts, reasoning: true })).toBe("reasons");
  expect(factsText({ ...facts, tariff: null }, { ...facts, maxOutputTokens: 1 })).toBe(
    "input 2.5, output 0.000000001, max output 8192 → 1",
  );
});

test("an import tells what differs, and names what it leaves out by its reason", () => {
  const others = Array.from({ length: 6 }, (_, index) => ({ id: `image-${index}`, reason: "other_mode" as const }));
  const elsewhere = { id: "z", reason: "other_vendor" as const };
  const report = {
    compared: [
      { id: "a", change: "new", before: null, after: facts },
      { id: "b", change: "unchanged", before: facts, after: facts },
      { id: "c", change: "foreign", before: facts, after: facts },
    ] as const,
    list: {
      models: [],
      skipped: [{ id: "gift", reason: "free" as const }, ...others, elsewhere],
      leftOut: [{ id: "a", field: "cache_creation_input_token_cost", problem: "is below the price of input" }],
      refused: [{ id: "d", field: "input_cost_per_token", problem: "-1 is below zero" }],
    },
    shipped: { date: "2026-08-01", ageDays: 46 },
    applied: false,
  };

  const text = importText(report);

  expect(text).toMatch(/^Price list that ships with Tollgate, of 2026-08-01: 46 days ago\.$/m);
  expect(text).toMatch(/^new +a +input 2\.5, /m);
  expect(text).toMatch(/^a +cache_creation_input_token_cost +is below the price of input$/m);
  expect(text).toMatch(/^d +input_cost_per_token +-1 is below zero$/m);
  expect(text).toMatch(/^ +6 +neither chat, responses nor embedding +image-0, image-1, image-2, image-3, image-4, …$/m);
  expect(text).toMatch(/^ +1 +priced at 0.* gift$/m);
  expect(text).toMatch(/^ +1 +of another vendor$/m);
  expect(text).toContain("Add --json to name every model that is left out.");
  expect(text).toContain("left unchanged: c");
  expect(text).toContain("1 new, 0 changed, 1 unchanged, 8 left out, 1 refused");
  expect(text).toContain("Nothing was changed");
  expect(importText({ ...report, applied: true })).toMatch(/Changes written\.$/);
  expect(importView(report)).toMatchObject({
    applied: false,
    shipped_list: { date: "2026-08-01", age_days: 46 },
    models: [{ id: "a", change: "new", before: null, after: { price: { input: "2.5" } } }, {}, {}],
    skipped: [
      { reason: "other_mode", models: 6, ids: others.map(({ id }) => id) },
      { reason: "free", models: 1, ids: ["gift"] },
      { reason: "other_vendor", models: 1, ids: ["z"] },
    ],
  });
});

test("of many fields that cannot be right, an import names as many as fit a screen", () => {
  const refused = Array.from({ length: 31 }, (_, index) => ({ id: `m-${index}`, field: "f", problem: "is odd" }));
  const list = { models: [], skipped: [], leftOut: [], refused };
  const text = importText({ compared: [], list, shipped: null, applied: false });

  expect(text).toContain("m-29");
  expect(text).not.toContain("m-30");
  expect(text).toContain("1 more; add --json to see all.");
});
