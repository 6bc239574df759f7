import type { Row } from "./figures.ts";
import { backSeconds, holds } from "./figures.ts";

type Column = { head: string; width: number; text: (row: Row) => string };

export const nameOf = ({ scenario, sees }: Row): string => (sees === null ? scenario : `${scenario}: ${sees}`);

export const seconds = (value: number | null): string => (value === null ? "" : value.toFixed(1));

export const othersOf = ({ other }: Row): string =>
  Object.entries(other)
    .map(([status, count]) => `${count} × ${status}`)
    .join(", ") || "0";

export const lossOf = ({ lost }: Row): string =>
  lost.answers === 0 ? "0" : `${lost.answers} (${lost.credits} credits, ${lost.tokens} tokens)`;

const COLUMNS: readonly Column[] = [
  { head: "scenario", width: 56, text: nameOf },
  { head: "route", width: 10, text: ({ route }) => route },
  { head: "503 s", width: 6, text: ({ refusedSeconds }) => seconds(refusedSeconds) },
  { head: "200", width: 6, text: ({ answered }) => String(answered) },
  { head: "503", width: 5, text: ({ refused }) => String(refused) },
  { head: "other", width: 12, text: othersOf },
  { head: "streams", width: 9, text: ({ streams }) => `${streams.survived}/${streams.errored}/${streams.silent}` },
  { head: "lost", width: 5, text: lossOf },
  { head: "doubled", width: 8, text: ({ doubled, overspent }) => String(doubled + overspent) },
  { head: "verify", width: 7, text: ({ verified }) => (verified ? "green" : "RED") },
  { head: "back s", width: 9, text: (row) => seconds(backSeconds(row)) },
  { head: "", width: 5, text: (row) => (holds(row) ? "holds" : "FAILS") },
];

const line = (texts: readonly string[]): string =>
  COLUMNS.map(({ width }, index) => (texts[index] ?? "").padEnd(width))
    .join(" ")
    .trimEnd();

export const tableHead = (): string => line(COLUMNS.map(({ head }) => head));
export const tableRow = (row: Row): string => line(COLUMNS.map(({ text }) => text(row)));
