import { expect, test } from "vitest";
import { standbyDemandOf } from "./server-facts.ts";

test.each([
  ["", 0, 0],
  ["  ", 0, 0],
  ["*", 1, 1],
  ["a", 1, 1],
  ["a, b", 1, 2],
  ["1 (a, b)", 1, 2],
  ["FIRST 2 (a, b, c)", 2, 3],
  ["any 2(a, b)", 2, 2],
  ["ANY 1 (*)", 1, 1],
  ['"first (1, 2)", b', 1, 2],
  ['ANY 2 ("x""y,z", b, c)', 2, 3],
])("synchronous_standby_names = '%s' has commits wait for %i of %i", (names, needed, named) => {
  expect(standbyDemandOf(names)).toEqual({ needed, named });
});
