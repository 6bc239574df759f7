import { stripVTControlCharacters } from "node:util";
import type { Part } from "./long-parts.ts";

export type PartResult = {
  outcome: "passed" | "failed" | "not run";
  seconds: number;
  /** The last line of its log, or why it was not run. */
  closing: string;
  log: string | null;
};

/** What is known of a commit, part by part. */
export type LongRun = { commit: string; parts: Record<string, PartResult> };

/** Scripts that find nothing to run on end with this. */
const NOT_RUN = 3;
const MOST_CLOSING = 200;

/** The parts named, in the order of the list. */
export function choose(parts: readonly Part[], names: readonly string[]): Part[] {
  const unknown = names.filter((name) => !parts.some((part) => part.name === name));
  if (unknown.length > 0) throw new Error(`no part is called ${unknown.join(", ")}; --list shows them`);
  return names.length === 0 ? [...parts] : parts.filter(({ name }) => names.includes(name));
}

/** A part that was not run is tried again: what it needs may be there by now. */
export function unfinished(parts: readonly Part[], { parts: known }: LongRun): Part[] {
  return parts.filter(({ name }) => !["passed", "failed"].includes(known[name]?.outcome ?? ""));
}

type Ended = { code: number | null; seconds: number; output: string; log: string };

export function resultOf(part: Part, { code, seconds, output, log }: Ended): PartResult {
  const lines = stripVTControlCharacters(output)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const closing = lines.at(-1)?.slice(0, MOST_CLOSING) ?? "it printed nothing";
  const result = { seconds, closing, log };
  if (code === 0) return { ...result, outcome: "passed" };
  const why = lines.findLast((line) => part.notRunWhen?.test(line) ?? false)?.slice(0, MOST_CLOSING);
  if (code === NOT_RUN || why !== undefined) return { ...result, outcome: "not run", closing: asWhy(why ?? closing) };
  return { ...result, outcome: "failed", closing: `${closing} (ended with ${code ?? "a signal"})` };
}

export const notRun = (why: string): PartResult => ({ outcome: "not run", seconds: 0, closing: asWhy(why), log: null });

const asWhy = (why: string): string => (why.startsWith("not run:") ? why : `not run: ${why}`);

/** The same text for the screen and for a page. What was not run is counted by itself. */
export function tellReport({ commit, parts: known }: LongRun, parts: readonly Part[]): string {
  const rows = parts.flatMap(({ name }) => {
    const result = known[name];
    if (result === undefined) return [];
    const { outcome, seconds, closing } = result;
    return [[name, outcome, minutesOf(seconds), closing.replaceAll("|", String.raw`\|`)]];
  });
  const countOf = (outcome: string): number => rows.filter(([, own]) => own === outcome).length;
  const unstarted = parts.length - rows.length;
  return [
    `The long run of ${commit}`,
    "",
    leftTable([["part", "outcome", "minutes", "closing line"], ...rows]),
    "",
    `${countOf("passed")} parts passed, ${countOf("failed")} failed, ${countOf("not run")} not run${unstarted === 0 ? "" : `, ${unstarted} not started`}`,
  ].join("\n");
}

export const minutesOf = (seconds: number): string => (seconds / 60).toFixed(1);

/** A table in Markdown with every column to the left: most of these are words. */
export function leftTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(3, ...rows.map((row) => (row[column] ?? "").length)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const [headings = [], ...others] = rows;
  return [line(headings), line(widths.map((width) => "-".repeat(width))), ...others.map(line)].join("\n");
}

/** How long a part took when it last passed, in the newest of these runs; they are in order, the oldest first. */
export function lastTook(name: string, runs: readonly LongRun[]): number | null {
  const passed = runs.flatMap(({ parts }) => (parts[name]?.outcome === "passed" ? [parts[name]] : []));
  return passed.at(-1)?.seconds ?? null;
}
