import { expect, test } from "vitest";
import { mediaTokensOf, mostInputTokens, publishedMediaTokens } from "./media-tokens.ts";

test.each([
  ["gpt-4o-2024-11-20", 5_000],
  ["gpt-4o-mini", 48_200],
  ["gpt-4.1-nano", 5_000],
  ["gpt-5", 5_000],
  ["gpt-5-mini", 5_000],
  ["gpt-5.2-codex", 5_000],
  ["gpt-5.4", 12_000],
  ["gpt-5.5-mini", 12_000],
  ["gpt-5.6-sol", 36_000],
  ["gpt-5.10", 36_000],
  ["gpt-6", 36_000],
  ["openai/gpt-5.6", 36_000],
  ["o4-mini", 5_000],
  ["o9", 36_000],
  ["claude-opus-5-5", 5_000],
  ["us.anthropic.claude-sonnet-4-5-20250929-v1:0", 5_000],
  ["models/gemini-3-pro", 5_000],
  ["x-ai/Grok-4", 2_000],
  ["llava-13b", null],
  ["my-gpt-5", null],
  ["", null],
])("a picture for %s is at most %s tokens", (name, image) => {
  expect(publishedMediaTokens(name).image).toBe(image);
});

const media = { images: 0, smallImages: 0, documents: 0, largestDocumentCharacters: 0, others: 0 };

test("each picture and document counts, and the window bounds all of it", () => {
  const known = { image: 5_000, smallImage: 3_000, document: 460_000 };
  const most = (count: Partial<typeof media>, window: number | null = null) =>
    mostInputTokens({ most: 100, media: { ...media, ...count } }, known, window);

  expect(most({ images: 3 })).toBe(15_100);
  expect(most({ images: 1, smallImages: 2 })).toBe(11_100);
  expect(most({ documents: 2 })).toBe(920_100);
  expect(most({ documents: 1, largestDocumentCharacters: 600_000 })).toBe(600_100);
  expect(most({ images: 3 }, 10_000)).toBe(10_000);
  expect(mostInputTokens({ most: 100 }, known, null)).toBe(100);
});

test("what has no known bound takes the window, and where that is not known more than any has", () => {
  const unknown = { image: null, smallImage: null, document: null };

  expect(mostInputTokens({ most: 100, media: { ...media, images: 1 } }, unknown, 128_000)).toBe(128_000);
  expect(mostInputTokens({ most: 100, media: { ...media, smallImages: 1 } }, unknown, 128_000)).toBe(128_000);
  expect(mostInputTokens({ most: 100, media: { ...media, images: 1 } }, unknown, null)).toBe(2_000_100);
  // What moves or sounds has no price of its own, whatever is known of pictures.
  expect(
    mostInputTokens({ most: 100, media: { ...media, others: 1 } }, { image: 1, smallImage: 1, document: 1 }, 64_000),
  ).toBe(64_000);
});

test("the operator's own word stands; of several routes the dearest does, and one of no family leaves it open", () => {
  const of = (capabilities: object, ...names: string[]) =>
    mediaTokensOf({ capabilities: { ...capabilities }, routes: names.map((upstreamModel) => ({ upstreamModel })) });

  expect(of({ image_tokens: 900 }, "gpt-5.6")).toEqual({ image: 900, smallImage: 900, document: 460_000 });
  expect(of({ document_tokens: 7 }, "llava")).toEqual({ image: null, smallImage: null, document: 7 });
  expect(of({ image_tokens: -1, document_tokens: "many" }, "grok-4", "gpt-5.6")).toEqual({
    image: 36_000,
    smallImage: 3_000,
    document: null,
  });
  // Only one maker has small versions of pictures; others are shown them as they are.
  expect(of({}, "claude-opus-5")).toEqual({ image: 5_000, smallImage: 5_000, document: null });
  expect(of({}, "gpt-5.6")).toEqual({ image: 36_000, smallImage: 3_000, document: 460_000 });
  expect(of({}, "gpt-5.6", "llava").image).toBeNull();
  expect(of({}).image).toBeNull();
});
