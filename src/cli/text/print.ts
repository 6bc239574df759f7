/** Writes a command's result: as data with `--json`, else as a person reads it. */
export function printResult(value: unknown, { json, text }: { json: boolean; text: () => string }): void {
  const output = json ? JSON.stringify(value, null, 2) : text();
  process.stdout.write(output.endsWith("\n") || output === "" ? output : `${output}\n`);
}

type TableOptions = { style?: (cell: string, column: number) => string };

/** Rows as aligned columns. A column whose title begins with `>` holds figures, which meet at their decimal points. */
export function table(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  { style = (cell) => cell }: TableOptions = {},
): string {
  const columns = header.map((title, column) => {
    const cells = rows.map((row) => printable(row[column] ?? ""));
    return title.startsWith(">") ? figures(title.slice(1), cells) : words(title, cells);
  });
  const line = (cells: readonly string[]): string => cells.join("  ").trimEnd();
  return [
    line(columns.map(([title = ""]) => title)),
    ...rows.map((_, row) => line(columns.map((cells, column) => style(cells[row + 1] ?? "", column)))),
  ].join("\n");
}

/** Names and what belongs to them, line by line, under a title. */
export const facts = (title: string, pairs: readonly (readonly [name: string, value: string])[]): string =>
  [
    title,
    ...words(
      "",
      pairs.map(([name]) => name),
    )
      .slice(1)
      .map((name, row) => `  ${name}  ${printable(pairs[row]?.[1] ?? "")}`),
  ].join("\n");

/** A label is whatever somebody wrote: it must neither break a line nor command the terminal. */
export const printable = (text: string): string => text.replaceAll(/\p{Cc}/gu, "�");

function words(title: string, cells: readonly string[]): string[] {
  const width = cells.reduce((widest, cell) => Math.max(widest, cell.length), title.length);
  return [title, ...cells].map((cell) => cell.padEnd(width));
}

function figures(title: string, cells: readonly string[]): string[] {
  const fractionOf = (cell: string): number => (cell.includes(".") ? cell.length - cell.indexOf(".") : 0);
  const longest = Math.max(0, ...cells.map(fractionOf));
  const aligned = cells.map((cell) => cell + " ".repeat(longest - fractionOf(cell)));
  const width = aligned.reduce((widest, cell) => Math.max(widest, cell.length), title.length);
  return [title, ...aligned].map((cell) => cell.padStart(width));
}
