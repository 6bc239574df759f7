import { expect, test } from "vitest";
import type { ModelInput } from "../core/model-input.ts";
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

test("a picture costs what providers charge for one, whatever its bytes", () => {
  const carried = estimate({ media: [{ kind: "image", detail: "high", carriedCharacters: 400_000 }] }, 400_100);
  const remote = estimate({ media: [{ kind: "image", detail: "high", carriedCharacters: 0 }] }, 100);
  const small = estimate({ media: [{ kind: "image", detail: "low", carriedCharacters: 0 }] }, 100);

  expect(carried).toEqual(remote);
  expect(remote).toMatchObject({ likely: 1_603, most: 5_100 });
  expect(small).toMatchObject({ likely: 103, most: 3_100 });
});

test("a document may have a hundred dense pages, carried or remote", () => {
  const remote = estimate({ media: [{ kind: "document", detail: "high", carriedCharacters: 0 }] }, 100);
  const carried = estimate({ media: [{ kind: "document", detail: "high", carriedCharacters: 640_000 }] }, 640_100);

  expect(remote).toMatchObject({ likely: 3_003, most: 460_100 });
  expect(carried).toMatchObject({ likely: 10_003, most: 640_100 });
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
