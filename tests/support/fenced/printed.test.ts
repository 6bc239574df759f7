import { expect, test } from "vitest";
import { parseFences } from "./fences.ts";
import { notPrinted } from "./printed.ts";

const pageThatShows = (shown: string) =>
  parseFences(
    "page.md",
    ["```sh", "one", "```", "<!-- printed by: the commands above -->", "```text", shown, "```"].join("\n"),
  );

const TRANSCRIPT = `
page.md:1: one
KEY           LEFT  RENEWS
tgc_Ab12Cd34     5  2026-11-01

3 rows
page.md:9: two
4 rows`;

test.each([
  ["all of it", "KEY LEFT RENEWS\ntgc_Ab12Cd34 5 2026-11-01\n\n3 rows"],
  ["other widths, another key and another day", "tgc_Zz99Yy88   5   2027-01-31"],
  ["the first and the last line", "KEY LEFT RENEWS\n…\n3 rows"],
])("a page may show %s", (_what, shown) => {
  expect(notPrinted(pageThatShows(shown), TRANSCRIPT)).toBeNull();
});

test.each([
  ["another figure", "tgc_Ab12Cd34 6 2026-11-01"],
  ["lines in another order", "3 rows\nKEY LEFT RENEWS"],
  ["what another block printed", "4 rows"],
])("a page may not show %s", (_what, shown) => {
  expect(notPrinted(pageThatShows(shown), TRANSCRIPT)).toContain("page.md:5 shows a line that was not printed");
});
