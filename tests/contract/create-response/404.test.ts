import { describe } from "vitest";
import { testNotFound } from "../generation/test-not-found.ts";
import { RESPONSES } from "../operations.ts";

describe("a model that is not in the catalogue, and a path that is not there [RES-3]", () => {
  testNotFound(RESPONSES);
});
