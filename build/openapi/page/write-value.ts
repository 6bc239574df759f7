const WIDTH = 60;

/** How a language writes a value. */
export type Spelling = { word: (value: string | number | boolean | null) => string; name: (name: string) => string };

const word = (value: unknown): string => JSON.stringify(value);

export const JSON_SPELLING: Spelling = { word, name: word };

export const JAVASCRIPT: Spelling = { word, name: (name) => (/^[a-z_$][\w$]*$/i.test(name) ? name : word(name)) };

const PYTHON_WORDS = new Map<unknown, string>([
  [true, "True"],
  [false, "False"],
  [null, "None"],
]);

/** A text that JSON quotes is the same text to Python. */
export const PYTHON: Spelling = { word: (value) => PYTHON_WORDS.get(value) ?? word(value), name: word };

type Scalar = Parameters<Spelling["word"]>[0];

export const writeJson = (value: unknown, indent = ""): string =>
  writeValue(value, { spelling: JSON_SPELLING, indent });

/** `used` is how much of the first line is taken: by the indent, or by it and what stands before the value. */
type Place = { spelling: Spelling; indent: string; used?: number };

/** A value for people: what fits on a line stands on one. */
export function writeValue(value: unknown, { spelling, indent, used = indent.length }: Place): string {
  const short = oneLine(value, spelling);
  if (used + short.length <= WIDTH || typeof value !== "object" || value === null) return short;
  const inner = `${indent}  `;
  const line = (before: string, member: unknown): string =>
    `${inner}${before}${writeValue(member, { spelling, indent: inner, used: inner.length + before.length })}`;
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  const members = Array.isArray(value)
    ? value.map((element) => line("", element))
    : Object.entries(value).map(([name, member]) => line(`${spelling.name(name)}: `, member));
  return `${open}\n${members.join(",\n")}\n${indent}${close}`;
}

function oneLine(value: unknown, spelling: Spelling): string {
  if (Array.isArray(value)) return `[${value.map((element) => oneLine(element, spelling)).join(", ")}]`;
  if (typeof value !== "object" || value === null) return spelling.word(value as Scalar);
  const members = Object.entries(value).map(([name, member]) => `${spelling.name(name)}: ${oneLine(member, spelling)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}
