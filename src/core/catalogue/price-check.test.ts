import { expect, test } from "vitest";
import { nameOfList, readCheckedProviders, urlOfList } from "./price-check.ts";

test("providers are compared by their own names, by those of the list, and at a markup", () => {
  expect(readCheckedProviders(" openai, google=gemini*1.2,groq*0.5 ")).toEqual([
    { provider: "openai", vendor: "openai", markup: "1" },
    { provider: "google", vendor: "gemini", markup: "1.2" },
    { provider: "groq", vendor: "groq", markup: "0.5" },
  ]);
  expect(readCheckedProviders("")).toEqual([]);
});

test.each([
  "openai,openai",
  "openai=",
  "=gemini",
  "openai*",
  "openai*0",
  "openai*0.0",
  "a b",
  "openai,,groq",
  "x*1e3",
  ",",
])("%j names no providers", (text) => expect(readCheckedProviders(text)).toBeNull());

test("a list is shown without what of its address may be secret", () => {
  expect(nameOfList("https://lists.acme.example/prices.json?token=abc")).toBe("https://lists.acme.example/prices.json");
  expect(["litellm", "models.dev", "shipped"].map(nameOfList)).toEqual(["litellm", "models.dev", "shipped"]);
  expect(urlOfList("models.dev")).toBe("https://models.dev/api.json");
  expect(urlOfList("shipped")).toBeNull();
});
