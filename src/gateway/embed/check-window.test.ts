import { expect, test } from "vitest";
import type { EmbeddingRoute } from "../../core/catalogue/route.ts";
import { ROUTE } from "../../../tests/support/generation-stage.ts";
import { keepToWindow } from "./check-window.ts";

const trying: EmbeddingRoute = { ...ROUTE, id: "trying", dialect: "embeddings" };
const strict: EmbeddingRoute = { ...trying, id: "strict", windowCheck: "strict" };
const model = { id: "m", contextWindow: 8 };
const keep = (kind: "texts" | "tokens", sizes: number[], contextWindow: number | null = 8): string[] =>
  keepToWindow({ input: { kind, sizes } }, { ...model, contextWindow }, [trying, strict]).map(({ id }) => id);

test("what fits whatever its tokens goes along every route; a text that may not fit along those that would say so", () => {
  expect(keep("texts", [8, 1])).toEqual(["trying", "strict"]);
  expect(keep("texts", [1, 9])).toEqual(["trying"]);
  expect(keep("tokens", [8])).toEqual(["trying", "strict"]);
  expect(keep("texts", [1_000_000], null)).toEqual(["trying", "strict"]);
});

test("a list of tokens that does not fit is refused, and so is a text where every provider would cut it", () => {
  expect(() => keep("tokens", [9])).toThrow("The input has 9 tokens; m accepts at most 8 in each");
  expect(() => keepToWindow({ input: { kind: "texts", sizes: [1, 9] } }, model, [strict])).toThrow(
    "Input 1 may be up to 9 tokens; m accepts at most 8 in each",
  );
});
