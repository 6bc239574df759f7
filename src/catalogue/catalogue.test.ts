import { expect, test } from "vitest";
import { createCatalogue, type Reader } from "./catalogue.ts";
import type { Model } from "./model.ts";

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
  price: null,
  routes: [],
});
const EVERYTHING: Reader = { providerScope: "all", models: null };

function filled() {
  const catalogue = createCatalogue();
  catalogue.replace([model("e1", "east"), model("e2", "east"), model("w1", "west")]);
  const idsFor = (reader: Reader | null): string[] => catalogue.list(reader).map(({ id }) => id);
  return { catalogue, idsFor };
}

test("a reader sees what its scope and its entitlements both allow; nobody in particular sees everything [MOD-14] [MOD-15] [MOD-16]", () => {
  const { idsFor } = filled();

  expect(idsFor(null)).toEqual(["e1", "e2", "w1"]);
  expect(idsFor(EVERYTHING)).toEqual(["e1", "e2", "w1"]);
  expect(idsFor({ providerScope: "east", models: null })).toEqual(["e1", "e2"]);
  expect(idsFor({ providerScope: "all", models: ["e2", "w1", "gone"] })).toEqual(["e2", "w1"]);
  expect(idsFor({ providerScope: "west", models: ["e2", "w1"] })).toEqual(["w1"]);
  expect(idsFor({ providerScope: "all", models: [] })).toEqual([]);
  expect(idsFor({ providerScope: "nobody", models: null })).toEqual([]);
});

test("what a reader is not shown it cannot use, and is told why [KEY-13] [KEY-14] [KEY-15]", () => {
  const { catalogue } = filled();

  expect(catalogue.resolve("e1", EVERYTHING).id).toBe("e1");
  expect(() => catalogue.resolve("w1", { providerScope: "east", models: null })).toThrow(
    expect.objectContaining({
      code: "key_disabled",
      param: "model",
      message: expect.stringContaining('"east"') as string,
    }),
  );
  expect(() => catalogue.resolve("e1", { providerScope: "all", models: ["e2"] })).toThrow(
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
  expect(() => catalogue.resolve("e1", EVERYTHING)).toThrow("does not exist");
});
