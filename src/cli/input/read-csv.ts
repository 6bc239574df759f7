import { CommandError } from "../report-failure.ts";

/** A row by the names of its columns, and the line it begins on, the first being 1. */
export type CsvRow = { line: number; cells: Readonly<Record<string, string>> };

const MOST_ROWS = 10_000;

/** Reads CSV as RFC 4180 has it, with a first row of names. Names of columns are compared without case; empty lines do not count. */
export function readCsv(text: string, columns: readonly string[]): CsvRow[] {
  const [header, ...rows] = splitCsv(text.replace(/^\uFEFF/, "")).filter(({ cells }) =>
    cells.some((cell) => cell.trim() !== ""),
  );
  if (header === undefined)
    throw new CommandError(`the file is empty. Its first row must name columns: ${columns.join(", ")}.`);
  const names = header.cells.map((name) => name.trim().toLowerCase());
  const unknown = names.find((name) => !columns.includes(name));
  if (unknown !== undefined)
    throw new CommandError(
      `row ${header.line}: unknown column ${JSON.stringify(unknown)}. Columns are: ${columns.join(", ")}.`,
    );
  if (new Set(names).size < names.length) throw new CommandError(`row ${header.line}: a column is named twice.`);
  if (rows.length > MOST_ROWS)
    throw new CommandError(`the file has ${rows.length} rows; the limit is ${MOST_ROWS}. Divide it.`);
  return rows.map(({ line, cells }) => {
    if (cells.length > names.length)
      throw new CommandError(
        `row ${line}: ${cells.length} cells for ${names.length} columns. Put cells with commas in double quotes.`,
      );
    return { line, cells: Object.fromEntries(names.map((name, place) => [name, (cells[place] ?? "").trim()])) };
  });
}

function splitCsv(text: string): { line: number; cells: string[] }[] {
  const rows: { line: number; cells: string[] }[] = [];
  let [line, cell, quoted, began] = [1, "", false, 1];
  let cells: string[] = [];
  const endRow = (): void => {
    rows.push({ line: began, cells: [...cells, cell] });
    [cells, cell] = [[], ""];
  };
  for (let at = 0; at < text.length; at++) {
    const sign = text[at] ?? "";
    if (sign === "\n") line++;
    if (quoted) {
      if (sign !== '"') cell += sign;
      else if (text[at + 1] === '"') cell += text[++at] ?? "";
      else quoted = false;
    } else if (sign === '"' && cell.trim() === "") [quoted, cell] = [true, ""];
    else if (sign === ",") cells = [...cells, cell];
    else if (sign !== "\r" && sign !== "\n") cell += sign;
    if (!quoted && sign === ",") cell = "";
    if (!quoted && sign === "\n") {
      endRow();
      began = line;
    }
  }
  if (quoted) throw new CommandError(`row ${began}: a double quote is not closed.`);
  if (cell !== "" || cells.length > 0) endRow();
  return rows;
}

/** A cell as CSV has it. */
export const csvCell = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
