import { expect, test } from "vitest";
import { readGeminiUsage, searchesIn } from "./gemini-usage.ts";

test("thoughts are output beside the candidates, cached tokens are within the prompt, and what tools found is input", () => {
  const usage = readGeminiUsage({
    promptTokenCount: 100,
    cachedContentTokenCount: 60,
    toolUsePromptTokenCount: 7,
    candidatesTokenCount: 20,
    thoughtsTokenCount: 30,
    totalTokenCount: 157,
  });

  expect(usage).toMatchObject({ inputTokens: 107, outputTokens: 50, cacheReadTokens: 60, reasoningTokens: 30 });
});

test.each<[searches: number, metadata: unknown]>([
  [2, { webSearchQueries: ["capital of australia", "", "population of canberra"] }],
  [0, { webSearchQueries: [""] }],
  [1, { groundingChunks: [{ web: { uri: "https://example.com" } }] }],
  [0, { groundingChunks: [], webSearchQueries: "capital" }],
  [0, "searched"],
  [1_000, { webSearchQueries: Array.from({ length: 100_000 }, () => "again") }],
])("%i searches are in an answer", (searches, groundingMetadata) => {
  expect(searchesIn({ groundingMetadata })).toBe(searches);
  expect(readGeminiUsage({ promptTokenCount: 1 }, searches)?.toolCalls).toEqual(
    searches === 0 ? {} : { web_search: searches, grounded_prompt: 1 },
  );
});

test("counts of 0 are left out, as of a prompt that was refused", () => {
  expect(readGeminiUsage({ promptTokenCount: 9, totalTokenCount: 9 })).toMatchObject({
    inputTokens: 9,
    outputTokens: 0,
  });
  expect(readGeminiUsage({ totalTokenCount: 3, candidatesTokenCount: 3 })).toMatchObject({ inputTokens: 0 });
});

test.each([
  [null],
  [{}],
  [{ trafficType: "ON_DEMAND" }],
  [{ candidatesTokenCount: 3 }],
  [{ promptTokenCount: -1, candidatesTokenCount: 3 }],
  [{ promptTokenCount: 1e18, candidatesTokenCount: 3 }],
  [{ promptTokenCount: "9", candidatesTokenCount: 3 }],
  [{ promptTokenCount: 9, candidatesTokenCount: 0.5 }],
  [{ promptTokenCount: 9, candidatesTokenCount: 3, thoughtsTokenCount: "4" }],
  [{ promptTokenCount: 9, candidatesTokenCount: 3, toolUsePromptTokenCount: -4 }],
])("a usage of %j cannot be true", (usage) => {
  expect(readGeminiUsage(usage)).toBeNull();
});

test("more cached than there was is as much as there was", () => {
  expect(readGeminiUsage({ promptTokenCount: 5, cachedContentTokenCount: 9 })?.cacheReadTokens).toBe(5);
});
