import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";

test("usages that providers sent cost what their published prices come to", () => {
  const said = execFileSync(process.execPath, ["scripts/price-vectors.ts", "--json"], { encoding: "utf8" });
  const verdicts = JSON.parse(said) as { name: string; verdict: string; says: string }[];

  expect(verdicts.filter(({ verdict }) => verdict !== "right")).toEqual([]);
  expect(verdicts.length).toBeGreaterThanOrEqual(30);
});
