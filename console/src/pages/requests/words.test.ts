import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ENTRY_WORDS, GAP_WORDS, lineWords, STEP_WORDS } from "./words.ts";

const PRICE = readFileSync(join(import.meta.dirname, "../../../../src/core/money/price.ts"), "utf8");
/** The parts of a price, and what is counted of each. */
const LINES = [...PRICE.matchAll(/^ {4}word: "(.+)",\n(?: {4}.*\n)*? {4}counts: "(.+)",$/gm)];

test("the inspector and `tollgate requests show` call everything the same", () => {
  const command = readFileSync(join(import.meta.dirname, "../../../../src/cli/text/requests/request-text.ts"), "utf8");
  const pairs = Object.entries({ ...STEP_WORDS, ...GAP_WORDS, ...ENTRY_WORDS });

  for (const [name, words] of pairs) expect(command).toContain(`${name}: "${words}"`);
  expect(LINES.length).toBeGreaterThan(4);
  for (const [, part = "", counts] of LINES) expect(lineWords(part)).toBe(counts);
});
