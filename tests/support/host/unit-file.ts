import { readFileSync } from "node:fs";

/** The assignments of a unit file in their order. A name may stand more than once. */
export type UnitFile = { all: (name: string) => string[]; last: (name: string) => string };

export function parseUnit(text: string): UnitFile {
  const assignments = text
    .replaceAll("\\\n", " ")
    .split("\n")
    .flatMap((line) => {
      const [, name, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
      return name === undefined || value === undefined ? [] : [{ name, value: value.trim() }];
    });
  const all = (wanted: string): string[] => assignments.filter(({ name }) => name === wanted).map(({ value }) => value);
  return { all, last: (name) => all(name).at(-1) ?? "" };
}

export const readUnit = (path: string): UnitFile => parseUnit(readFileSync(path, "utf8"));

/** The variables of an environment file, without comments. */
export function parseEnvironment(text: string): Record<string, string> {
  const pairs = text.split("\n").filter((line) => /^\w+=/.test(line));
  return Object.fromEntries(pairs.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
}
