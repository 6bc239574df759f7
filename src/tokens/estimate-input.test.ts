import { expect, test } from "vitest";
import type { ModelInput } from "../core/request/model-input.ts";
import { estimateInput } from "./estimate-input.ts";
import { estimateTokens } from "./estimate-tokens.ts";

const NOTHING: ModelInput = {
  texts: [],
  json: [],
  jsonValues: 0,
  predicted: [],
  sealedCharacters: 0,
  media: [],
  messages: 0,
  tools: 0,
  nativeTools: 0,
};
const estimate = (input: Partial<ModelInput>, bodyBytes = 1_000) => estimateInput({ ...NOTHING, ...input }, bodyBytes);

test("of text the likely count is its estimate and what stands around a message, and the most is the bytes of the body", () => {
  const text = "How many tokens is this?";

  expect(estimate({ texts: [text], messages: 1 })).toEqual({
    likely: estimateTokens(text) + 7,
    most: 1_000,
    mostPredicted: 0,
  });
});

test("media count apart from the bytes that carry them, since what they come to is a matter of the model", () => {
  const image = { kind: "image", detail: "high" } as const;
  const carried = estimate({ media: [{ ...image, carriedCharacters: 400_000 }] }, 400_100);
  const remote = estimate({ media: [{ ...image, carriedCharacters: 0 }] }, 100);

  expect(carried).toEqual(remote);
  expect(remote).toMatchObject({ likely: 1_603, most: 100, media: { images: 1 } });
  expect(estimate({ media: [{ ...image, detail: "low", carriedCharacters: 0 }] }, 100)).toMatchObject({
    likely: 103,
    media: { images: 0, smallImages: 1 },
  });
  expect(estimate({ media: [{ kind: "other", detail: "high", carriedCharacters: 50 }] }, 100)).toMatchObject({
    most: 50,
    media: { others: 1 },
  });
  expect(estimate({})).not.toHaveProperty("media");
});

test("of documents the largest is known by its characters", () => {
  const document = { kind: "document", detail: "high" } as const;
  const two = [5, 640_000].map((carriedCharacters) => ({ ...document, carriedCharacters }));

  expect(estimate({ media: two }, 640_105)).toMatchObject({
    likely: 13_003,
    most: 100,
    media: { documents: 2, largestDocumentCharacters: 640_000 },
  });
});

test("tools reserve for what providers say about them, and JSON for its indentation", () => {
  const one = { json: ['{"name":"f"}'], jsonValues: 2, tools: 1 };

  expect(estimate(one).most).toBe(1_000 + 600 + 8);
  expect(estimate({ ...one, nativeTools: 1 }).most).toBe(1_000 + 600 + 8 + 1_500);
  // Six bytes of an escape for each character of two.
  expect(estimate({ ...one, json: ['{"name":"éé"}'] }).most).toBe(1_000 + 600 + 8 + 8);
});

test("predicted text may be charged as output, by its bytes", () => {
  expect(estimate({ predicted: ["é", "abc"] }).mostPredicted).toBe(5);
});
