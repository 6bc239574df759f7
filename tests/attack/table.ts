import type { Row } from "./row.ts";

const WIDTHS = [8, 48, 10, 12, 12, 8, 16, 8] as const;
const NAMES = ["class", "attempt", "tokens", "price", "charged", "gain", "neighbour p99", "stretch"];

export const ms = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
export const percent = (value: number): string => `${value.toFixed(value === 0 || value >= 10 ? 0 : 2)} %`;
export const whole = (value: number): string => value.toLocaleString("en-GB");
/** Credits to a ten-thousandth: finer than any gain that counts. */
export const credits = (text: string): string => Number(text).toFixed(4);

export const tableHead = (): string => line(NAMES);

/** A row of the table that is printed as the run goes on. */
export function tableRow(row: Row): string {
  const money = row.class === "price";
  const cells = [
    row.class,
    row.name,
    money ? whole(row.tokens) : "",
    money ? credits(row.price) : "",
    money ? credits(row.charged) : "",
    money ? percent(row.gainPercent) : "",
    `${ms(row.neighbour.p99Ms)}${row.neighbour.refused > 0 ? ` ${row.neighbour.refused} refused` : ""}`,
    ms(row.stretchMs),
  ];
  const verdict = row.held
    ? `held: ${row.why}`
    : `${row.known === "" ? "FAILED" : "known"}: ${row.failing.join(" | ")}`;
  return `${line(cells)} ${verdict}`;
}

const line = (cells: readonly string[]): string =>
  cells
    .map((cell, place) => (place < 2 ? cell.padEnd(WIDTHS[place] ?? 0) : cell.padStart(WIDTHS[place] ?? 0)))
    .join(" ");
