import { expect, test } from "vitest";
import { buildWords } from "./build-words.ts";

const schema = { migration: "0039_baseline", edition: 2 };

test("the foot of a page says version, commit and schema, and leaves out what is not known", () => {
  expect(buildWords({ version: "0.2.0", commit: "5d2c7e0b9a4f1e8d6c3b2a190f8e7d6c5b4a3928", schema })).toBe(
    "Tollgate 0.2.0 (5d2c7e0b9a4f) · schema 0039_baseline, functions of edition 2",
  );
  expect(buildWords({ version: "0.2.0", commit: null, schema: { ...schema, edition: null } })).toBe(
    "Tollgate 0.2.0 · schema 0039_baseline",
  );
});
