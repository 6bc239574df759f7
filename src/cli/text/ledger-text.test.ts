import { expect, test } from "vitest";
import { journalListing, verificationText } from "./ledger-text.ts";

const empty = {
  key: { id: "a", prefix: "tgc_a034Fq4J" },
  unit: "credit" as const,
  data: [],
  next: null,
  opening: null,
};

test("an empty page behind others is not taken for an empty journal", () => {
  expect(journalListing(empty, {})).toBe("No entries for tgc_a034Fq4J… yet.");
  expect(journalListing(empty, { after: "WyJqb3VybmFsIl0" })).toBe("No earlier entries.");
});

const report = {
  ok: true,
  keys: 2,
  holds: 0,
  charges: 1_205,
  fundings: 1,
  usage_records: 1_205,
  quarantined: 0,
  mismatches: [],
  truncated: false,
};

test("a verification is one summary, with every count once", () => {
  expect(verificationText(report)).toBe(
    "The ledger is consistent. Checked 2 keys, 1,205 charges, 1 funding, 0 holds, 1,205 usage records.",
  );
});

test("a balance that differs is listed and counted", () => {
  const mismatches = [{ key_id: "019a", column: "spent", expected: "5", found: "4" }];
  const text = verificationText({ ...report, ok: false, mismatches });

  expect(text).toMatch(/^KEY +WHAT +EXPECTED +FOUND\n019a +spent +5 +4\n/);
  expect(text).toContain("The ledger is not consistent: 1 difference. Checked 2 keys");
});
