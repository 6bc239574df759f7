import { cut, grouped, printable, shortMoment, widthOf } from "./cell.ts";
import { PLAIN, type Screen, stateTone, type Tone } from "./screen.ts";

/**
 * A column by its title. `>` before the title: figures, which meet at their decimal points. `=`: never cut, since people copy
 * it. `?`: left out where the terminal is too narrow for all columns.
 */
type Title = string;
type TableOptions = { screen?: Screen; tone?: (cell: string, title: string) => Tone | null };
type Column = { title: string; kind: ">" | "=" | "?" | ""; cells: string[]; width: number };

const GAP = "  ";
const NARROWEST = 6;

/** Rows as aligned columns. On a terminal they fit its width, figures have separators, and states have a colour. */
export function table(
  header: readonly Title[],
  rows: readonly (readonly string[])[],
  { screen = PLAIN, tone = stateTone }: TableOptions = {},
): string {
  const all = header.map((title, index) =>
    columnOf(
      title,
      rows.map((row) => readable(row[index] ?? "", screen)),
    ),
  );
  const columns = fit(all, screen.columns);
  const line = (cells: readonly string[]): string => cells.join(GAP).trimEnd();
  const shown = (column: Column, text: string, look: Tone | null): string => {
    const words = cut(text, column.width);
    const space = " ".repeat(column.width - widthOf(words));
    // Colour is put around the words alone, so that it neither counts as width nor keeps space at the end of a line.
    const painted = look === null ? words : words.replace(/\S(?:.*\S)?/, (inner) => screen.paint(look, inner));
    return column.kind === ">" ? space + painted : painted + space;
  };
  return [
    line(columns.map((column) => shown(column, column.title, "heading"))),
    ...rows.map((_, row) =>
      line(
        columns.map((column) =>
          shown(column, column.cells[row] ?? "", tone((column.cells[row] ?? "").trim(), column.title)),
        ),
      ),
    ),
  ].join("\n");
}

/** Names and what belongs to them, line by line, under a title. */
export function facts(
  title: string,
  pairs: readonly (readonly [name: string, value: string])[],
  screen: Screen = PLAIN,
): string {
  const width = Math.max(0, ...pairs.map(([name]) => name.length));
  const lines = pairs.map(([name, value]) => {
    const look = stateTone(value);
    const text = readable(value, screen);
    return `  ${screen.paint("secondary", name)}${" ".repeat(width - name.length)}${GAP}${look === null ? text : screen.paint(look, text)}`;
  });
  return [...(title === "" ? [] : [screen.paint("heading", title)]), ...lines].join("\n");
}

const readable = (text: string, { isTerminal }: Screen): string =>
  isTerminal ? grouped(shortMoment(printable(text))) : printable(text);

function columnOf(title: Title, cells: readonly string[]): Column {
  const [, mark = "", name = ""] = /^([>=?]?)(.*)$/.exec(title) ?? [];
  const aligned = mark === ">" ? meetAtPoint(cells) : [...cells];
  const width = Math.max(widthOf(name), ...aligned.map(widthOf));
  return { title: name, kind: mark as Column["kind"], cells: aligned, width };
}

function meetAtPoint(cells: readonly string[]): string[] {
  const fractionOf = (cell: string): number => (cell.includes(".") ? cell.length - cell.indexOf(".") : 0);
  const longest = Math.max(0, ...cells.map(fractionOf));
  return cells.map((cell) => cell + " ".repeat(longest - fractionOf(cell)));
}

/** Leaves out and narrows columns until a line fits; a terminal too narrow even for that wraps it. */
function fit(columns: readonly Column[], limit: number | null): Column[] {
  const lengthOf = (list: readonly Column[]): number =>
    list.reduce((sum, { width }) => sum + width + GAP.length, -GAP.length);
  if (limit === null || lengthOf(columns) <= limit) return [...columns];
  let fitting = columns.filter(({ kind }) => kind !== "?");
  while (lengthOf(fitting) > limit) {
    const free = fitting.filter(({ kind, width }) => kind === "" && width > NARROWEST);
    const widest = free.toSorted((one, other) => other.width - one.width)[0];
    if (widest === undefined) break;
    fitting = fitting.map((column) => (column === widest ? { ...column, width: column.width - 1 } : column));
  }
  return fitting;
}
