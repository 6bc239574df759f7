import type { Failure } from "../../tests/support/failed-tests.ts";

/** A test that was seen to fail and then to pass, without a change in between. */
export type Listed = { firstSeen: string; project: string; file: string; title: string; plan: string };

export type Second = { failure: Failure; passed: boolean; counts: Failure["counts"] };

type Judged = {
  failures: readonly Failure[];
  /** Of those that were run again. */
  second: readonly Second[];
  listed: readonly Listed[];
  /** As in 2026-01-31. */
  today: string;
};

export type Verdict = {
  /** What the closing lines say, and how many tests failed after all. */
  lines: string[];
  failed: number;
  /** To be added to what passed and was skipped in the first run. */
  more: { passed: number; skipped: number };
  unstable: Failure[];
};

const MOST_UNSTABLE = 2;
/** When more fail, something is broken, and to run it all again says nothing. */
const MOST_RUN_AGAIN = 10;
const LONGEST_DAYS = 7;
const DAY_MS = 86_400_000;
export const LIST = "tests/unstable.md";

/** Places where one failure in a thousand is a wrong charge, a hole in the import law or a secret in the open. */
const PLACES: readonly (readonly [start: string, why: string])[] = [
  ["src/ledger/", "a test of the ledger"],
  ["tests/ledger/", "a test of the ledger"],
  ["src/gateway/generate/", "a test of the path of a request"],
  ["tests/chaos/", "a chaos test"],
  ["tests/attack/", "an attack"],
  ["tests/repo/architecture.test.ts", "a test of the import law"],
  ["tests/repo/secret-canary.test.ts", "a test of the search for secrets"],
];
const WORDS: readonly (readonly [words: RegExp, why: string])[] = [
  [/\bI[1-9]\d?\b|\b[Ii]nvariant\b/, "it names an invariant"],
  [/deadlock|\b40P01\b/i, "it names a deadlock"],
  [/\bcanary\b|\bleak(s|ed)?\b/i, "it names a leak"],
  // The next run draws other values, and would pass.
  [/Property failed after|Counterexample:/, "it found a counterexample"],
];

/** Why a failure is never run again, or null. */
export function whyNeverAgain({ file, title, messages }: Failure): string | null {
  const [, place] = PLACES.find(([start]) => file.startsWith(start)) ?? [];
  if (place !== undefined) return place;
  const text = [title, ...messages].join("\n");
  const [, word] = WORDS.find(([words]) => words.test(text)) ?? [];
  return word ?? null;
}

/** What is run again, each alone. */
export function toRunAgain(failures: readonly Failure[]): Failure[] {
  return failures.length > MOST_RUN_AGAIN ? [] : failures.filter((failure) => whyNeverAgain(failure) === null);
}

export function judge({ failures, second, listed, today }: Judged): Verdict {
  const passedNow = second.filter(({ passed }) => passed);
  const tooMany = passedNow.length > MOST_UNSTABLE;
  const lines = failures.flatMap((failure): string[] => {
    const again = second.find((one) => one.failure === failure);
    if (again?.passed) return [];
    const reason = whyNeverAgain(failure);
    return [`FAILED ${nameOf(failure)}: ${gist(failure)}${again ? ", and again when run alone" : notAgain(reason)}`];
  });
  let failed = lines.length;
  const more = { passed: 0, skipped: 0 };
  for (const { failure, counts } of passedNow) {
    const row = listed.find((one) => isSame(one, failure));
    const days = row === undefined ? 0 : daysBetween(row.firstSeen, today);
    lines.push(`UNSTABLE ${failure.file} ${failure.title}`.trimEnd(), `  ${standing(failure, { row, days, today })}`);
    if (tooMany || days >= LONGEST_DAYS) failed += 1;
    else if (failure.title !== "") more.passed += 1;
    else {
      more.passed += counts.passed - failure.counts.passed;
      more.skipped += counts.skipped - failure.counts.skipped;
    }
  }
  if (tooMany) lines.push(`FAILED ${passedNow.length} unstable tests; ${MOST_UNSTABLE} at most`);
  return { lines, failed, more, unstable: passedNow.map(({ failure }) => failure) };
}

function standing(failure: Failure, { row, days, today }: { row?: Listed | undefined; days: number; today: string }) {
  if (row === undefined) return `not on the list; add this line to ${LIST}: ${rowOf(failure, today)}`;
  const since = `on the list since ${row.firstSeen}, ${days} days`;
  return days >= LONGEST_DAYS
    ? `FAILED: ${since}; mend it, ${LONGEST_DAYS} days are the limit`
    : `${since}: ${row.plan}`;
}

const notAgain = (reason: string | null): string => (reason === null ? "" : `; not run again: ${reason}`);
const nameOf = ({ project, file, title }: Failure): string =>
  [`${file} (${project})`, title].filter(Boolean).join(": ");
const gist = ({ messages }: Failure): string => messages[0]?.split("\n", 1)[0]?.slice(0, 300) ?? "no message";
const isSame = (one: Listed, other: Failure): boolean =>
  one.project === other.project && one.file === other.file && one.title === other.title;

/** Both are dates without a time. */
function daysBetween(first: string, today: string): number {
  return Math.round((Date.parse(today) - Date.parse(first)) / DAY_MS);
}

const cell = (text: string): string => text.replaceAll("|", String.raw`\|`);
const rowOf = ({ project, file, title }: Failure, today: string): string =>
  `| ${[today, project, file, title, "<reason and plan>"].map(cell).join(" | ")} |`;

/** The rows of the list's table. A line that cannot be read throws, so that no test is on the list by mistake or missing from it. */
export function readList(markdown: string): Listed[] {
  const [, ...rows] = markdown.split("\n").filter((line) => line.startsWith("|"));
  return rows.slice(1).map((line) => {
    const cells = line.split(/(?<!\\)\|/).map((text) => text.trim().replaceAll(String.raw`\|`, "|"));
    const [, firstSeen = "", project = "", file = "", title = "", plan = ""] = cells;
    if (
      cells.length !== 7 ||
      !/^\d{4}-\d{2}-\d{2}$/.test(firstSeen) ||
      Number.isNaN(Date.parse(firstSeen)) ||
      plan === ""
    )
      throw new Error(`${LIST}: not a row of first seen, project, file, title, and reason and plan: ${line}`);
    return { firstSeen, project, file, title, plan };
  });
}
