import type { Problem } from "./config-error.ts";

/** Where the value of a setting came from. */
export type SettingSource =
  | { kind: "default" }
  | { kind: "file"; path: string; place: string }
  | { kind: "environment"; name: string }
  /** Chosen by the command that runs, such as `tollgate dev`. */
  | { kind: "command"; name: string };

/** A value as it was found, before it is checked. */
export type Entry = { value: unknown; source: SettingSource };

/** What a place to read settings from gave: values by path, and what was wrong. */
export type Findings = { entries: Map<string, Entry>; problems: Problem[] };

/** As it is shown to an operator: a place in a file, the name of a variable or of a command, or `default`. */
export function describeSource(source: SettingSource): string {
  if (source.kind === "file") return `${source.path}:${source.place}`;
  return source.kind === "default" ? "default" : source.name;
}
