import { expect, test } from "vitest";
import { journalListing } from "./ledger-text.ts";

const empty = {
  key: { id: "a", prefix: "tgc_a034Fq4J" },
  unit: "credit" as const,
  entries: [],
  next: null,
  opening: null,
};

test("an empty page behind others is not taken for an empty journal", () => {
  expect(journalListing(empty, null)).toBe("nothing was ever booked to tgc_a034Fq4J…");
  expect(journalListing(empty, "01a1def5-f61d-7806-12de-dfdcaabf8848.0")).toBe("nothing was booked before that");
});
