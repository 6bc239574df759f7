import { ExportError } from "../export-error.ts";

export type TextRow = { line: number; cells: readonly string[] };

/** More than any bill has in a row. */
const MOST_CHARACTERS = 1_000_000;

/** Rows of CSV (RFC 4180) as its text arrives; empty rows do not count. */
export async function* csvRows(texts: AsyncIterable<string>, file: string): AsyncGenerator<TextRow> {
  let [cell, quoted, closed, line, began, length] = ["", false, false, 1, 1, 0];
  let cells: string[] = [];
  const take = (): TextRow | null => {
    const row = { line: began, cells: [...cells, cell] };
    [cells, cell, closed, length] = [[], "", false, 0];
    began = line;
    return row.cells.every((text) => text.trim() === "") ? null : row;
  };
  for await (const text of texts) {
    for (const sign of text) {
      if (sign === "\n") line++;
      if (++length > MOST_CHARACTERS)
        throw new ExportError(
          `${file}:${began}`,
          "the row has more than a million characters; is a double quote not closed?",
        );
      if (quoted) {
        if (sign === '"') [quoted, closed] = [false, true];
        else cell += sign;
      } else if (sign === '"' && closed) {
        // A doubled quote stands for one.
        [quoted, closed] = [true, false];
        cell += sign;
      } else if (sign === '"' && cell.trim() === "") [cell, quoted] = ["", true];
      else if (sign === ",") {
        cells.push(cell);
        [cell, closed] = ["", false];
      } else if (sign === "\n") {
        const row = take();
        if (row !== null) yield row;
      } else if (sign !== "\r") cell += sign;
    }
  }
  if (quoted) throw new ExportError(`${file}:${began}`, "a double quote is not closed; is the file complete?");
  const row = take();
  if (row !== null) yield row;
}

export type TextLine = { line: number; text: string };

/** Lines that are not empty, as their text arrives. */
export async function* textLines(texts: AsyncIterable<string>, file: string): AsyncGenerator<TextLine> {
  let [rest, line] = ["", 0];
  for await (const text of texts) {
    const lines = `${rest}${text}`.split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > MOST_CHARACTERS)
      throw new ExportError(`${file}:${line + 1}`, "the line has more than a million characters");
    for (const one of lines) {
      line++;
      if (one.trim() !== "") yield { line, text: one };
    }
  }
  if (rest.trim() !== "") yield { line: line + 1, text: rest };
}
