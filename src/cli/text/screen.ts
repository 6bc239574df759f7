import { styleText } from "node:util";

/** What a piece of text means; the screen decides how it looks. */
export type Tone = "heading" | "secondary" | "good" | "caution" | "bad" | "bar";

/** Where text is shown. `columns` is null where nothing limits a line, as in a file. */
export type Screen = {
  isTerminal: boolean;
  columns: number | null;
  paint: (tone: Tone, text: string) => string;
};

/** A file or a pipe: no colour, no limit, figures as a program reads them. */
export const PLAIN: Screen = { isTerminal: false, columns: null, paint: (_, text) => text };

const STYLES = {
  heading: "bold",
  secondary: "dim",
  good: "green",
  caution: "yellow",
  bad: "red",
  bar: "cyan",
} as const satisfies Record<Tone, string>;

type Output = NodeJS.WritableStream & { isTTY?: boolean; columns?: number };

/** `styleText` leaves colour out where the stream is no terminal, and obeys `NO_COLOR`, `FORCE_COLOR` and `TERM=dumb`. */
export const screenOf = (stream: Output): Screen => ({
  isTerminal: stream.isTTY === true,
  // Some terminals do not know their width and report 0.
  columns: stream.isTTY === true && stream.columns ? stream.columns : null,
  paint: (tone, text) => (text === "" ? "" : styleText(STYLES[tone], text, { stream })),
});

const STATES: Readonly<Record<string, Tone>> = {
  active: "good",
  published: "good",
  "in force": "good",
  added: "good",
  new: "good",
  suspended: "caution",
  disabled: "caution",
  expired: "caution",
  changed: "caution",
  default: "caution",
  revoked: "bad",
  withdrawn: "secondary",
  past: "secondary",
  "-": "secondary",
  never: "secondary",
};

/** The tone of a state, in the words of the tables; null for any other word. */
export const stateTone = (state: string): Tone | null => STATES[state] ?? null;

/** A warning on standard error. */
export function warn(message: string): void {
  const { paint } = screenOf(process.stderr);
  process.stderr.write(`${paint("caution", "warning:")} ${message}\n`);
}
