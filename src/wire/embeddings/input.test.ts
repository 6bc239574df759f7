import fc from "fast-check";
import { expect, test } from "vitest";
import { Fault } from "../../core/fault.ts";
import { MOST_INPUTS, readInput } from "./input.ts";

test.each<[unknown, "texts" | "tokens", number[]]>([
  ["Hello", "texts", [5]],
  ["Kraków", "texts", [7]],
  [["a", "日本"], "texts", [1, 6]],
  [[1, 2, 3], "tokens", [3]],
  [[0], "tokens", [1]],
  [[[1, 2], [2_147_483_647]], "tokens", [2, 1]],
])("%j is %s of at most %j tokens", (input, kind, sizes) => {
  expect(readInput(input)).toMatchObject({ kind, sizes });
});

test("as many inputs as are taken at once, and one more", () => {
  const inputs = Array.from({ length: MOST_INPUTS }, () => "a");

  expect(readInput(inputs).sizes).toHaveLength(2_048);
  expect(() => readInput([...inputs, "a"])).toThrow("input: List should have at most 2,048 items");
  // One list of tokens is one input, however long.
  expect(readInput(Array.from({ length: 8_192 }, () => 1)).sizes).toEqual([8_192]);
});

test("whatever JSON stands there, it is inputs with something in each, or a refusal that names the place", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
      try {
        const { sizes } = readInput(value);
        return sizes.length > 0 && sizes.every((size) => size > 0);
      } catch (error) {
        return error instanceof Fault && error.code === "invalid_request" && error.param?.startsWith("input") === true;
      }
    }),
    { numRuns: 2_000 },
  );
});
