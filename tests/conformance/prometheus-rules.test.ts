import { execFile, execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const run = promisify(execFile);
const FOLDER = join(import.meta.dirname, "../../deploy/prometheus");

function isMissing(): boolean {
  try {
    execFileSync("promtool", ["--version"], { stdio: "ignore" });
    return false;
  } catch {
    return true;
  }
}

describe.skipIf(isMissing())("promtool (skipped where it is not installed: apt-get install prometheus)", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "tollgate-promtool-"));
    cpSync(FOLDER, folder, { recursive: true });
    writeFileSync(join(folder, "tollgate-token"), "a-token-for-metrics");
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** What it printed; rejects when it found something. */
  const promtool = async (...words: string[]): Promise<string> =>
    (await run("promtool", words, { cwd: folder })).stdout;

  test("accepts the configuration with its rules and targets", async () => {
    expect(await promtool("check", "config", "--lint=all", "--lint-fatal", "prometheus.yml")).toMatch(
      /SUCCESS: \d+ rules found/,
    );
  });

  test("sees each alert fire when it must, and no alert without a cause", async () => {
    expect(await promtool("test", "rules", "rules/tollgate.rules-tests.yml")).toContain("SUCCESS");
  });
});
