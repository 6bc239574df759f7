import { spawnSync } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Failure } from "../../tests/support/failed-tests.ts";

/** What is read of Vitest's JSON report. */
export type Report = {
  numPassedTests: number;
  numPendingTests: number;
  testResults: {
    name: string;
    assertionResults: {
      title: string;
      ancestorTitles: string[];
      status: string;
      meta?: { onlyStraight?: string };
    }[];
  }[];
};

export type Ran = {
  status: number | null;
  signal: string | null;
  /** Null when Vitest ended before it could write one. */
  report: Report | null;
  failures: Failure[];
  /** Errors that belong to no test, and fail the run all the same. */
  unhandled: string[];
};

type Wishes = {
  words: readonly string[];
  /** Of this run alone. */
  folder: string;
  env: Record<string, string>;
  /** A file for what is printed; without it, that goes to the screen. */
  log?: string;
};

const SUPPORT = join(import.meta.dirname, "../../tests/support");

export function runVitest({ words, folder, env, log }: Wishes): Ran {
  mkdirSync(folder, { recursive: true });
  const [report, failures, unhandled] = ["report.json", "failures.json", "unhandled.txt"].map((name) =>
    join(folder, name),
  ) as [string, string, string];
  const target = log === undefined ? null : openSync(log, "w");
  const { status, signal } = spawnSync(
    "vitest",
    [
      "run",
      "--reporter=default",
      "--reporter=json",
      `--outputFile.json=${report}`,
      `--reporter=${join(SUPPORT, "unhandled-errors.ts")}`,
      `--reporter=${join(SUPPORT, "failed-tests.ts")}`,
      ...words,
    ],
    {
      stdio: target === null ? "inherit" : ["ignore", target, target],
      env: { ...process.env, ...env, TEST_UNHANDLED: unhandled, TEST_FAILURES: failures },
    },
  );
  if (target !== null) closeSync(target);
  return {
    status,
    signal,
    report: existsSync(report) ? (JSON.parse(readFileSync(report, "utf8")) as Report) : null,
    failures: existsSync(failures) ? (JSON.parse(readFileSync(failures, "utf8")) as Failure[]) : [],
    unhandled: existsSync(unhandled)
      ? readFileSync(unhandled, "utf8")
          .split("\n")
          .filter((line) => line !== "")
      : [],
  };
}
