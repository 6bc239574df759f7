import { expect, test } from "vitest";
import type { ImportedModel } from "../../../core/catalogue/imported-model.ts";
import { diffText, diffView } from "./diff-text.ts";

const facts = {
  contextWindow: 1_000,
  maxOutputTokens: 10,
  reasoning: null,
  tariff: { inputNano: 1n, outputNano: 1n, toolCallNano: {} },
};
const model = (id: string, change: ImportedModel["change"]): ImportedModel => ({
  id,
  change,
  before: facts,
  after: facts,
});
const report = {
  compared: [model("a", "changed"), model("b", "unchanged"), model("c", "new")],
  list: { models: [], skipped: [{ id: "d", reason: "free" as const }], leftOut: [], refused: [] },
  shipped: { date: "2026-08-01", ageDays: 46 },
  applied: false,
};
const differences = [
  {
    id: "a",
    fields: [
      { field: "input", before: "0.708", after: "0.7375", factor: "1.042" },
      { field: "cache_read", before: null, after: "0.1", factor: null },
    ],
  },
];

test("differences are told field by field, with the factor where there is one", () => {
  const text = diffText(report, differences);

  expect(text).toMatch(/^a +input +0\.708 +0\.7375 +1\.042$/m);
  expect(text).toMatch(/^a +cache_read +none +0\.1$/m);
  expect(text).toContain("1 of the catalogue's models differ in 2 fields, 1 are as in the list");
  expect(text).toContain("of 2026-08-01: 46 days ago");
  expect(text).toMatch(/Nothing was changed\.$/);
  expect(diffView(report, differences)).toMatchObject({
    shipped_list: { date: "2026-08-01", age_days: 46 },
    differences,
    not_in_catalogue: ["c"],
    skipped: [{ reason: "free", models: 1, ids: ["d"] }],
  });
});
