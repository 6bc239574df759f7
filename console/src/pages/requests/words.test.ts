import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ENTRY_WORDS, GAP_WORDS, lineWords, STEP_WORDS } from "./words.ts";

const LINES = ["input", "output", "cache_read", "cache_write_5m", "cache_write_1h"];

test("the inspector and `tollgate requests show` call everything the same", () => {
  const command = readFileSync(join(import.meta.dirname, "../../../../src/cli/text/request-text.ts"), "utf8");
  const pairs = [
    ...Object.entries({ ...STEP_WORDS, ...GAP_WORDS, ...ENTRY_WORDS }),
    ...LINES.map((line) => [line, lineWords(line)] as const),
  ];

  for (const [name, words] of pairs) expect(command).toContain(`${name}: "${words}"`);
});
