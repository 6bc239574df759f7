import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { isObject } from "../../../src/core/bytes/is-object.ts";

/** The page an operator follows. What it shows is what the run uses. */
export const PAGE = join(import.meta.dirname, "../../../docs/operate/high-availability.md");

/** Each block of configuration begins with a comment that names its file. */
const BLOCKS = {
  etcd: "# /etc/etcd/etcd.yml",
  patroni: "# /etc/patroni/patroni.yml",
  haproxy: "# /etc/haproxy/haproxy.cfg",
  pgbouncer: "; /etc/pgbouncer/pgbouncer.ini",
  hosts: "# tollgate.yaml, a list of hosts",
  pooled: "# tollgate.yaml, through PgBouncer",
  sql: "create role tollgate",
};

export type Blocks = Record<keyof typeof BLOCKS, string>;

/** The blocks of the page by name; a block that is missing is an error of the page. */
export function blocksOf(page: string): Blocks {
  const fenced = [...page.matchAll(/^```\w*\n([\s\S]*?)^```$/gm)].map(([, text = ""]) => text);
  return Object.fromEntries(
    Object.entries(BLOCKS).map(([name, beginning]) => {
      const text = fenced.find((block) => block.startsWith(beginning));
      if (text === undefined) throw new Error(`no block on the page begins with "${beginning}"`);
      return [name, text];
    }),
  ) as Blocks;
}

export const readBlocks = (): Blocks => blocksOf(readFileSync(PAGE, "utf8"));

/** A block in YAML with other values in places that must exist, such as `postgresql.listen`. */
export function withValues(block: string, values: Record<string, unknown>): string {
  const whole: unknown = parse(block);
  for (const [path, value] of Object.entries(values)) {
    const names = path.split(".");
    const last = names.pop() ?? "";
    const place = names.reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), whole);
    if (!isObject(place) || !(last in place)) throw new Error(`the page has no ${path}`);
    place[last] = value;
  }
  // As Patroni reads it, `on` without quotes is a boolean.
  return stringify(whole, { version: "1.1" });
}

/** A block of text with other words in places that must exist. */
export function withWords(block: string, words: Record<string, string>): string {
  return Object.entries(words).reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`the page has no "${from}"`);
    return text.replaceAll(from, to);
  }, block);
}

/** A value of a block in YAML. */
export function valueOf(block: string, path: string): string {
  const value = path.split(".").reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), parse(block));
  if (typeof value !== "string" && typeof value !== "number") throw new Error(`the page has no ${path}`);
  return String(value);
}
