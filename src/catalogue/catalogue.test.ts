import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Route } from "../core/catalogue/route.ts";
import { createCatalogue, type Reader } from "./catalogue.ts";
import type { Model, Price } from "./model.ts";

const model = (id: string, provider: string): Model => ({
  id,
  provider,
  createdAtMs: 0,
  ownedBy: provider,
  displayName: null,
  tagline: null,
  contextWindow: null,
  maxOutputTokens: 8_192,
  outputCeiling: null,
  outputFloor: 1_024,
  tokenFactor: 1,
  capabilities: {},
  price: price({ version: 1 }),
  upcomingPrices: [],
  acceptedAlarms: [],
  routes: [],
});
const price = (fields: Partial<Price>): Price => ({
  version: 1,
  effectiveFromMs: 0,
  inputNano: 1n,
  outputNano: 1n,
  cacheReadNano: null,
  cacheWrite5mNano: null,
  cacheWrite1hNano: null,
  toolCallNano: {},
  ...fields,
});
const EVERYTHING: Reader = {
  mode: "credit",
  providerScope: "all",
  models: null,
  regions: null,
  accountRegions: null,
  chain: { id: 1, own: "credit", counters: [] },
};

function filled() {
  const catalogue = createCatalogue({ nowMs: () => 1_000 });
  catalogue.replace([model("e1", "east"), model("e2", "east"), model("w1", "west")]);
  const idsFor = (reader: Reader | null): string[] => catalogue.list(reader).map(({ id }) => id);
  return { catalogue, idsFor };
}

test("a reader sees what its scope and its entitlements both allow; nobody in particular sees everything [MOD-14] [MOD-15] [MOD-16]", () => {
  const { idsFor } = filled();

  expect(idsFor(null)).toEqual(["e1", "e2", "w1"]);
  expect(idsFor(EVERYTHING)).toEqual(["e1", "e2", "w1"]);
  expect(idsFor({ ...EVERYTHING, providerScope: "east" })).toEqual(["e1", "e2"]);
  expect(idsFor({ ...EVERYTHING, models: ["e2", "w1", "gone"] })).toEqual(["e2", "w1"]);
  expect(idsFor({ ...EVERYTHING, providerScope: "west", models: ["e2", "w1"] })).toEqual(["w1"]);
  expect(idsFor({ ...EVERYTHING, models: [] })).toEqual([]);
  expect(idsFor({ ...EVERYTHING, providerScope: "nobody" })).toEqual([]);
});

test("what a reader is not shown it cannot use, and is told why [KEY-13] [KEY-14] [KEY-15]", () => {
  const { catalogue } = filled();

  expect(catalogue.resolve("e1", EVERYTHING).id).toBe("e1");
  expect(() => catalogue.resolve("w1", { ...EVERYTHING, providerScope: "east" })).toThrow(
    expect.objectContaining({
      code: "key_disabled",
      param: "model",
      message: expect.stringContaining('"east"') as string,
    }),
  );
  expect(() => catalogue.resolve("e1", { ...EVERYTHING, models: ["e2"] })).toThrow(
    expect.objectContaining({ code: "key_disabled", param: "model" }),
  );
});

test.each(["nope", "E1", "e1 ", "", "__proto__", "toString"])("%j is no model [CHA-3]", (id) => {
  expect(() => filled().catalogue.resolve(id, EVERYTHING)).toThrow(
    expect.objectContaining({ code: "model_not_found", param: "model" }),
  );
});

test("a catalogue is replaced whole: what is not in the new one is gone", () => {
  const { catalogue, idsFor } = filled();
  const next = [model("n1", "north")];
  catalogue.replace(next);
  next.push(model("late", "north"));

  expect(idsFor(null)).toEqual(["n1"]);
  expect(() => catalogue.resolve("e1", EVERYTHING)).toThrow('There is no model "e1"');
});

const TOKENS: Reader = { ...EVERYTHING, mode: "token_budget", chain: { id: 1, own: "tokens", counters: [] } };

test("a model without a price is there for keys that pay in tokens and for nobody in particular, not for credit", () => {
  const { catalogue, idsFor } = filled();
  catalogue.replace([model("e1", "east"), { ...model("free", "east"), price: null }]);

  expect(idsFor(EVERYTHING)).toEqual(["e1"]);
  expect(idsFor(TOKENS)).toEqual(["e1", "free"]);
  expect(idsFor(null)).toEqual(["e1", "free"]);
  expect(catalogue.resolve("free", TOKENS).id).toBe("free");
  expect(() => catalogue.resolve("free", EVERYTHING)).toThrow(
    expect.objectContaining({ code: "model_not_found", message: expect.stringContaining("no price") as string }),
  );
});

test("a model without a price is nothing for a token key whose account counts credits, as far as that counts the model", () => {
  const { catalogue, idsFor } = filled();
  catalogue.replace([model("e1", "east"), { ...model("free", "east"), price: null }]);
  const under = (models: string[] | null): Reader => ({
    ...TOKENS,
    chain: { id: 2, own: "tokens", counters: [{ id: 5, unit: "credit", models }] },
  });

  expect(idsFor(under(null))).toEqual(["e1"]);
  expect(idsFor(under(["fr*"]))).toEqual(["e1"]);
  expect(idsFor(under(["e?"]))).toEqual(["e1", "free"]);
  expect(() => catalogue.resolve("free", under(null))).toThrow("the account of this key counts credits");
});

test("a model without any limit of output is there for nobody until the operator gives it a ceiling [interface decision 17] [MOD-20]", () => {
  const { catalogue, idsFor } = filled();
  const boundless = { ...model("boundless", "east"), maxOutputTokens: null };
  catalogue.replace([boundless]);

  expect([idsFor(null), idsFor(EVERYTHING), idsFor(TOKENS)]).toEqual([[], [], []]);
  expect(() => catalogue.resolve("boundless", TOKENS)).toThrow(expect.objectContaining({ code: "model_not_found" }));

  catalogue.replace([{ ...boundless, outputCeiling: 4_096 }]);
  expect(catalogue.resolve("boundless", EVERYTHING).outputCeiling).toBe(4_096);
  expect(idsFor(null)).toEqual(["boundless"]);
});

test("a price takes effect at its date to the millisecond, with no load in between; what was read before keeps its own [MON-23]", () => {
  let nowMs = 999;
  const catalogue = createCatalogue({ nowMs: () => nowMs });
  const upcomingPrices = [
    price({ version: 4, effectiveFromMs: 1_000 }),
    price({ version: 3, effectiveFromMs: 2_000 }),
    price({ version: 5, effectiveFromMs: 2_000 }),
  ];
  catalogue.replace([{ ...model("m", "east"), price: price({ version: 2 }), upcomingPrices }, model("n", "east")]);
  const read = () => catalogue.resolve("m", EVERYTHING).price?.version;
  const admitted = catalogue.resolve("m", EVERYTHING);

  expect(read()).toBe(2);
  nowMs = 1_000;
  expect(read()).toBe(4);
  nowMs = 1_999;
  expect(read()).toBe(4);
  nowMs = 2_000;
  expect(read()).toBe(5);
  expect(catalogue.list(null).map((listed) => listed.price?.version)).toEqual([5, 1]);
  expect(admitted.price?.version).toBe(2);
});

test("a first price with a date makes a model available on credit at that date", () => {
  let nowMs = 0;
  const catalogue = createCatalogue({ nowMs: () => nowMs });
  const upcomingPrices = [price({ effectiveFromMs: 1_000 })];
  catalogue.replace([{ ...model("m", "east"), price: null, upcomingPrices }]);

  expect(catalogue.list(EVERYTHING)).toEqual([]);
  nowMs = 5_000;
  expect(catalogue.list(EVERYTHING)).toHaveLength(1);
});

test("an alarm is accepted for its model and kind alone, and no longer once it has ended", () => {
  let nowMs = 0;
  const catalogue = createCatalogue({ nowMs: () => nowMs });
  const accepted = { kind: "overrun", reason: "known", actor: "ann", acceptedAtMs: 0, untilMs: 1_000 } as const;
  const forGood = { ...accepted, kind: "unpriced_usage", untilMs: null } as const;
  catalogue.replace([{ ...model("m", "east"), acceptedAlarms: [accepted, forGood] }, model("n", "east")]);

  expect(catalogue.acceptedAlarm({ kind: "overrun", model: "m" })).toEqual(accepted);
  expect(catalogue.acceptedAlarm({ kind: "usage_estimated", model: "m" })).toBeNull();
  expect(catalogue.acceptedAlarm({ kind: "overrun", model: "n" })).toBeNull();
  expect(catalogue.acceptedAlarm({ kind: "overrun", model: "gone" })).toBeNull();
  nowMs = 999;
  expect(catalogue.acceptedAlarm({ kind: "overrun", model: "m" })).toEqual(accepted);
  nowMs = 1_000;
  expect(catalogue.acceptedAlarm({ kind: "overrun", model: "m" })).toBeNull();
  expect(catalogue.acceptedAlarm({ kind: "unpriced_usage", model: "m" })).toEqual(forGood);
});

describe("where requests may run", () => {
  const route = (region: string | null, no: number): Route =>
    ({ id: `r${no}`, provider: "east", upstreamModel: `u${no}`, region }) as Route;
  const limited = (regions: string[] | null, accountRegions: string[] | null): Reader => ({
    ...EVERYTHING,
    regions,
    accountRegions,
  });
  const resolved = (tags: (string | null)[], reader: Reader): (string | null | undefined)[] => {
    const catalogue = createCatalogue({ nowMs: () => 1_000 });
    catalogue.replace([{ ...model("e1", "east"), routes: tags.map(route) }]);
    return catalogue.resolve("e1", reader).routes.map(({ region }) => region);
  };

  test("no route is left but where the key and all above it allow, and none that does not say where it is [KEY-26]", () => {
    const word = fc.constantFrom<string>("eu", "us", "ch", "eu-1");
    const list = fc.option(fc.uniqueArray(word, { minLength: 1 }));
    fc.assert(
      fc.property(fc.array(fc.option(word), { minLength: 1, maxLength: 8 }), list, list, (tags, own, above) => {
        const isAllowed = (tag: string | null): boolean =>
          (own === null || (tag !== null && own.includes(tag))) &&
          (above === null || (tag !== null && above.includes(tag)));
        const expected = tags.filter(isAllowed);
        if (expected.length === 0) {
          expect(() => resolved(tags, limited(own, above))).toThrow(/no route there/);
        } else {
          expect(resolved(tags, limited(own, above))).toEqual(expected);
        }
      }),
    );
  });

  test("a model that runs nowhere it may is in no list, and one without any route is not refused for that", () => {
    const catalogue = createCatalogue({ nowMs: () => 1_000 });
    catalogue.replace([{ ...model("e1", "east"), routes: [route("us", 1)] }, model("none", "east")]);

    expect(catalogue.list(limited(["eu"], null)).map(({ id }) => id)).toEqual(["none"]);
    expect(catalogue.list(limited(null, ["us"])).map(({ id }) => id)).toEqual(["e1", "none"]);
  });
});

const speaking = (dialect: Route["dialect"]): Route => ({
  id: dialect,
  provider: "east",
  upstreamModel: "m",
  dialect,
  conformant: false,
  priority: 0,
  weight: 1,
  connectTimeoutMs: 1,
  firstByteTimeoutMs: 1,
  idleTimeoutMs: 1,
  concurrencyLimit: null,
  baseUrl: "https://api.example.com/v1",
  credentialRef: "none",
});

test("a model is for embeddings or for text by the formats of its routes, and is found where it is asked for so [EMB-7]", () => {
  const catalogue = createCatalogue({ nowMs: () => 1_000 });
  const unlimited = { maxOutputTokens: null };
  catalogue.replace([
    { ...model("embeds", "east"), ...unlimited, routes: [speaking("embeddings")] },
    { ...model("talks", "east"), routes: [speaking("chat"), speaking("messages")] },
    { ...model("nowhere", "east"), ...unlimited },
    // Nobody can write this down; should it be there, it generates.
    { ...model("mixed", "east"), routes: [speaking("embeddings"), speaking("chat")] },
  ]);

  expect(catalogue.list(EVERYTHING).map(({ id }) => id)).toEqual(["embeds", "talks", "mixed"]);
  expect(catalogue.resolveEmbedding("embeds", EVERYTHING).routes).toHaveLength(1);
  expect(catalogue.resolve("talks", EVERYTHING).routes).toHaveLength(2);
  expect(catalogue.resolve("mixed", EVERYTHING).routes.map(({ dialect }) => dialect)).toEqual(["chat"]);
  expect(() => catalogue.resolve("embeds", EVERYTHING)).toThrow("makes embeddings and can't generate text");
  expect(() => catalogue.resolveEmbedding("talks", EVERYTHING)).toThrow("generates text and can't make embeddings");
  expect(() => catalogue.resolveEmbedding("nobody", EVERYTHING)).toThrow('There is no model "nobody"');
  // What a key may not use, it is not told the kind of.
  expect(() => catalogue.resolve("embeds", { ...EVERYTHING, models: [] })).toThrow("can't use model");
});
