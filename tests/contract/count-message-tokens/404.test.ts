import { describe } from "vitest";
import { testNotFound } from "../generation/test-not-found.ts";
import { COUNT } from "../operations.ts";

describe("a model that is not in the catalogue, and a path that is not there [CNT-4]", () => {
  testNotFound(COUNT);
});
