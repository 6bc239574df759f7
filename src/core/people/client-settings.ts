import { hash } from "node:crypto";
import { EVERYBODY } from "./group-mapping.ts";
import { isObject } from "../bytes/is-object.ts";
import type { Json } from "../bytes/json.ts";

/** What the clients of a group's members are set to. */
export type ClientSettings = { group: string; settings: Json };

/** The settings of all groups that somebody is in, in order: a later one replaces what an earlier one says. Null: there are none. */
export function settingsFor(all: readonly ClientSettings[], groups: readonly string[]): Json | null {
  const theirs = new Set([...groups, EVERYBODY]);
  const mine = all.filter(({ group }) => theirs.has(group));
  return mine.length === 0 ? null : mine.reduce<Json>((merged, { settings }) => merge(merged, settings), {});
}

export function merge(below: Json, above: Json): Json {
  const merged = new Map(Object.entries(below));
  for (const [name, value] of Object.entries(above)) {
    const under = merged.get(name);
    merged.set(name, isObject(under) && isObject(value) ? merge(under, value) : value);
  }
  return Object.fromEntries(merged);
}

/** `sha256:` and the digest of the settings as JSON without spaces, members sorted at every level. Clients compute the same. */
export const checksumOf = (settings: Json): string =>
  `sha256:${hash("sha256", JSON.stringify(sorted(settings)), "hex")}`;

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, inner]) => [name, sorted(inner)]),
  );
}
