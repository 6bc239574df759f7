import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SETTING_NAMES } from "../../src/simulator/plan/script.ts";

const PAGE = join(import.meta.dirname, "../../docs/reference/simulator.md");

test("every setting of a script has its row in the simulator's page, and no row is of a setting that is not", () => {
  const rows = readFileSync(PAGE, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .flatMap((line) => [...(line.split(" | ")[0] ?? "").matchAll(/`([a-z]+)(?==|`)/g)].map((match) => match[1]));
  const values = ["detailed", "hidden", "missing", "negative", "absurd", "string", "each"];

  expect(new Set(rows.filter((name) => !values.includes(name ?? "")))).toEqual(new Set(SETTING_NAMES));
});
