import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

test("usages that providers sent cost what their published prices come to", () => {
  const said = execFileSync(process.execPath, ["scripts/price-vectors.ts", "--json"], { encoding: "utf8" });
  const verdicts = JSON.parse(said) as { name: string; verdict: string; says: string }[];

  expect(verdicts.filter(({ verdict }) => verdict !== "right")).toEqual([]);
  expect(verdicts.length).toBeGreaterThanOrEqual(30);
});

test("work of another model within an answer is told from a mistake, to the nano-credit", () => {
  const pass = (input: number, output: number, more: object = {}) => ({
    input_tokens: input,
    output_tokens: output,
    ...more,
  });
  const usage = {
    ...pass(2_414, 3_200),
    iterations: [pass(1_051, 35), pass(2_728, 874, { model: "claude-opus-4-7" }), pass(1_363, 3_165)],
  };
  const advised = {
    format: "messages",
    prices: { input: "3", output: "15" },
    usage: { usage },
    other_prices: { "claude-opus-4-7": { input: "5", output: "25" } },
    arithmetic: "1051 x 3 + 35 x 15 + 2728 x 5 + 874 x 25 + 1363 x 3 + 3165 x 15, each per million",
  };
  const vectors = [
    { ...advised, name: "own price", expected: "0.090732" },
    { ...advised, name: "a nano-credit off", expected: "0.090732001" },
    { ...advised, name: "price not known", other_prices: {}, expected: "0.090732" },
  ];

  expect(verdictsOf(vectors)).toEqual({
    status: 1,
    verdicts: ["own price: by decision", "a nano-credit off: wrong", "price not known: wrong"],
  });
  expect(verdictsOf(vectors.slice(0, 1)).status).toBe(0);
});

function verdictsOf(vectors: readonly object[]): { status: number | null; verdicts: string[] } {
  const folder = mkdtempSync(join(tmpdir(), "vectors-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "vectors.json");
  writeFileSync(file, JSON.stringify(vectors));
  const { stdout, status } = spawnSync(process.execPath, ["scripts/price-vectors.ts", file, "--json"], {
    encoding: "utf8",
  });
  const verdicts = JSON.parse(stdout) as { name: string; verdict: string }[];
  return { status, verdicts: verdicts.map(({ name, verdict }) => `${name}: ${verdict}`) };
}
