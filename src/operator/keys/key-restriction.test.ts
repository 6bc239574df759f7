import { expect, test } from "vitest";
import { modelsAfter, requireKnown } from "./key-restriction.ts";

const names = {
  models: [
    { id: "gpt-4.1-mini", published: true },
    { id: "gpt-4.1-mina", published: false },
    { id: "west", published: true },
  ],
  providers: ["openai", "west-labs"],
};
const known = (restriction: { providerScope?: string; models?: readonly string[] | null }) =>
  requireKnown(restriction, () => Promise.resolve(names));

test.each([
  [
    { models: ["west", "gpt-4.1-minx"] },
    "models",
    'There is no model "gpt-4.1-minx". Did you mean "gpt-4.1-mini"? Add the model to the catalogue first, or leave it out and update the key later.',
  ],
  [
    { models: ["nope"] },
    "models",
    'There is no model "nope". Add the model to the catalogue first, or leave it out and update the key later.',
  ],
  [
    { providerScope: "opnai" },
    "provider_scope",
    'There is no provider "opnai". Did you mean "openai"? Add the provider first, or use "all" and update the key later.',
  ],
])("a key cannot be restricted to %j", async (restriction, param, message) => {
  await expect(known(restriction)).rejects.toMatchObject({ code: "invalid_request", param, message });
});

test("a key can be restricted to any model of the catalogue, published or not, and to any provider", async () => {
  await expect(known({ models: ["gpt-4.1-mina"], providerScope: "openai" })).resolves.toBeUndefined();
  await expect(known({ models: null, providerScope: "all" })).resolves.toBeUndefined();
});

const listed = { prefix: "tgc_a034Fq4J", models: ["east", "west"] };
const unlisted = { prefix: "tgc_a034Fq4J", models: null };

test("models are replaced, added and removed; null lifts the restriction", () => {
  expect(modelsAfter(listed, { models: ["north", "north"] })).toEqual(["north"]);
  expect(modelsAfter(listed, { models: null })).toBeNull();
  expect(modelsAfter(listed, { addModels: ["north", "east"], removeModels: ["west"] })).toEqual(["east", "north"]);
  expect(modelsAfter(listed, {})).toBeUndefined();
});

test.each([
  [
    unlisted,
    { addModels: ["a"] },
    "add_models",
    "Key tgc_a034Fq4J… may use all models, so there is no list to change. Set the whole list instead.",
  ],
  [
    listed,
    { removeModels: ["wast"] },
    "remove_models",
    'Key tgc_a034Fq4J… does not list model "wast". Did you mean "east"? It lists "east", "west".',
  ],
  [
    { prefix: "tgc_a034Fq4J", models: Array.from({ length: 12 }, (_, at) => `model-${at}`) },
    { removeModels: ["west"] },
    "remove_models",
    'Key tgc_a034Fq4J… does not list model "west". It lists "model-0", "model-1", "model-2", "model-3", "model-4", "model-5", "model-6", "model-7", "model-8", "model-9" and 2 more.',
  ],
  [
    { prefix: "tgc_a034Fq4J", models: [] },
    { removeModels: ["west"] },
    "remove_models",
    'Key tgc_a034Fq4J… does not list model "west". It lists none.',
  ],
  [
    listed,
    { removeModels: ["east", "west"] },
    "remove_models",
    "Key tgc_a034Fq4J… would have no model left. Set another list, or disable the key to stop it.",
  ],
])("of %j the change %j is rejected", (key, change, param, message) => {
  expect(() => modelsAfter(key, change)).toThrow(expect.objectContaining({ code: "invalid_request", param, message }));
});
