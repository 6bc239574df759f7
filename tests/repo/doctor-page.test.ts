import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Check } from "../../src/doctor/check.ts";
import { CHECKS } from "../../src/doctor/checks.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/operate/doctor.md"), "utf8");

const rowOf = ({ id, finds, fix }: Check): string => `| \`${id}\` | ${finds} | ${fix} |`;

test("the page lists every check of `tollgate doctor` with what it finds and its fix, in order", () => {
  const rows = page.split("\n").filter((line) => /^\| `[a-z]+-[a-z-]+` \|/.test(line));

  expect(CHECKS.length).toBeGreaterThan(25);
  expect(rows).toEqual(CHECKS.map(rowOf));
});

test("every check has an id of its own, and comes after the checks that it needs", () => {
  const ids = CHECKS.map(({ id }) => id);
  const early = CHECKS.filter(({ after = [] }, place) =>
    after.some((id) => ids.indexOf(id) >= place || !ids.includes(id)),
  );

  expect(new Set(ids).size).toBe(ids.length);
  expect(early.map(({ id }) => id)).toEqual([]);
});
