import { beforeAll, expect, test } from "vitest";
import type { ModelInput } from "../core/request/model-input.ts";
import { countInput, sampleTextTokens } from "./count-input.ts";
import { type TextCounter, loadCountTokens } from "./count-tokens.ts";

let count: TextCounter;
beforeAll(async () => {
  count = await loadCountTokens();
});

const inputOf = (...texts: string[]): ModelInput => ({
  texts,
  json: [],
  jsonValues: 0,
  predicted: [],
  sealedCharacters: 0,
  media: [],
  messages: 1,
  tools: 0,
  nativeTools: 0,
});

test("text is counted by the vocabulary, with what stands around a message", async () => {
  expect(await countInput(inputOf("two words"), count)).toBe(2 + 7);
});

test("other work goes on while a long text is counted", async () => {
  let turns = 0;
  const ticking = setInterval(() => turns++, 1);
  await countInput(inputOf("gateway ".repeat(32_768)), count);
  clearInterval(ticking);

  expect(turns).toBeGreaterThan(5);
});

test("past the bound of work the rest is estimated, so that counting never takes for ever", async () => {
  let characters = 0;
  const watching: TextCounter = (text) => {
    characters += text.length;
    return Math.ceil(text.length / 8);
  };
  const tokens = await countInput(inputOf("gateway ".repeat(1_048_576)), watching);

  expect(characters).toBe(2_097_152);
  expect(tokens).toBeGreaterThan(1_048_576);
  expect(tokens).toBeLessThan(1_400_000);
});

test("before anything is paid a long text is judged by a sample from all of it", async () => {
  let characters = 0;
  const watching: TextCounter = (text) => {
    characters += text.length;
    return text.startsWith(" ") ? 1 : text.length;
  };
  const tokens = await sampleTextTokens(inputOf(" ".repeat(4_194_304), "x".repeat(4_194_304)), watching);

  expect(characters).toBeLessThanOrEqual(524_288 + 8_192);
  expect(tokens).toBeGreaterThan(4_194_304 * 0.95);
  expect(tokens).toBeLessThan(4_194_304 * 1.05);
});
