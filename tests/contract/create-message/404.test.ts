import { describe } from "vitest";
import { testNotFound } from "../generation/test-not-found.ts";
import { MESSAGE } from "../operations.ts";

describe("a model that is not in the catalogue, and a path that is not there [MSG-3]", () => {
  testNotFound(MESSAGE);
});
