import { availableParallelism } from "node:os";
import { backSeconds, holds, outageSeconds, type Row } from "./figures.ts";
import { PER_SECOND, STREAMS } from "./load.ts";
import { SCENARIOS } from "./scenario.ts";
import { lossOf, othersOf, seconds } from "./table.ts";

const BEGIN = "<!-- Figures: written by `npm run chaos -- patroni --write`. -->";
const END = "<!-- End of figures. -->";

/** The page with the figures of a run between its two marks, and nothing else changed. */
export function withFigures(page: string, rows: readonly Row[]): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error("the page has no place for figures");
  return `${page.slice(0, begin + BEGIN.length)}\n\n${figuresOf(rows)}\n\n${page.slice(end)}`;
}

function figuresOf(rows: readonly Row[]): string {
  const load = rows.map(({ loadAverage }) => loadAverage);
  const [least, most] = [Math.min(...load), Math.max(...load)];
  return [
    `Each of four gateways (two per route) got ${PER_SECOND} requests a second, plain and streamed, in every format, with credit and token`,
    `keys. At the fault, each also had ${STREAMS} open streams, half of 8 s and half of 45 s. The machine had ${availableParallelism()} processors for everything and a load average of`,
    `${least.toFixed(0)} to ${most.toFixed(0)}, so the seconds are upper bounds.`,
    "",
    "| Scenario | Route | Seconds with more 503 than 200 | 200 | 503 | Other | Streams completed | Streams ended with an error | Charges lost | Doubled or overspent | `ledger verify` | Seconds from the last event until all three servers replicate |",
    "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|---|--:|",
    ...rows.map(rowOf),
    "",
    ...SCENARIOS.map(({ name, done }) => `- **${name}**: ${done}.`),
    ...unmeasured(rows),
    ...failures(rows),
  ].join("\n");
}

function rowOf(row: Row): string {
  const { streams, sees, scenario } = row;
  const cells = [
    sees === null ? scenario : `${scenario}; ${sees}`,
    row.route,
    outageSeconds(row),
    row.answered,
    row.refused,
    othersOf(row),
    streams.survived,
    streams.errored,
    lossOf(row),
    row.doubled + row.overspent,
    row.verified ? "green" : "**red**",
    seconds(backSeconds(row)),
  ];
  return `| ${cells.join(" | ")} |`;
}

function unmeasured(rows: readonly Row[]): string[] {
  const names = SCENARIOS.map(({ name }) => name).filter((name) => !rows.some(({ scenario }) => scenario === name));
  return names.length === 0 ? [] : ["", `Not measured yet: ${names.join("; ")}.`];
}

function failures(rows: readonly Row[]): string[] {
  // Both sites of a scenario share its books, and with them what does not hold.
  const failed = new Map(rows.filter((row) => !holds(row)).map((row) => [`${row.scenario}, ${row.route}`, row]));
  if (failed.size === 0) return [];
  return [
    "",
    "These invariants did not hold:",
    "",
    ...[...failed].map(([name, { violations }]) => `- ${name}: ${counted(violations.map(withoutIds)).join("; ")}.`),
  ];
}

/** What is wrong, without whose request it was. */
const withoutIds = (violation: string): string => violation.split(": ").at(-1) ?? violation;

function counted(texts: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].map(([text, count]) => `${count} × ${text}`);
}
