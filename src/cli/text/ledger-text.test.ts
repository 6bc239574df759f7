import { expect, test } from "vitest";
import { journalListing } from "./ledger-text.ts";

const empty = {
  key: { id: "a", prefix: "tgc_a034Fq4J" },
  unit: "credit" as const,
  data: [],
  next: null,
  opening: null,
};

test("an empty page behind others is not taken for an empty journal", () => {
  expect(journalListing(empty, {})).toBe("nothing was ever booked to tgc_a034Fq4J…");
  expect(journalListing(empty, { after: "WyJqb3VybmFsIl0" })).toBe("nothing was booked before that");
});
