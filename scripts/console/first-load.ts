/** What a browser fetches before it can show a page of the console, from Vite's manifest of what was built. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

type Chunk = { file: string; imports?: string[]; css?: string[]; assets?: string[] };
type Manifest = Record<string, Chunk>;

export const FIRST_LOAD_LIMIT_BYTES = 230_000;

/** `then`: the module of the page that opens first, which is fetched lazily but always. */
export function firstLoad(dist: string, entry: string, then: readonly string[]): { file: string; bytes: number }[] {
  const manifest = JSON.parse(readFileSync(join(dist, ".vite/manifest.json"), "utf8")) as Manifest;
  const files = new Set([entry]);
  for (const name of [entry, ...then]) follow(manifest, name, files);
  return [...files]
    .map((file) => ({ file, bytes: sizeOf(join(dist, file)) }))
    .toSorted((one, other) => other.bytes - one.bytes);
}

function follow(manifest: Manifest, name: string, files: Set<string>): void {
  const chunk = manifest[name];
  if (chunk === undefined) throw new Error(`the console's manifest has no ${name}`);
  if (files.has(chunk.file)) return;
  for (const file of [chunk.file, ...(chunk.css ?? []), ...(chunk.assets ?? [])]) files.add(file);
  for (const imported of chunk.imports ?? []) follow(manifest, imported, files);
}

/** Fonts are compressed already. */
function sizeOf(path: string): number {
  const bytes = readFileSync(path);
  return path.endsWith(".woff2") ? bytes.length : gzipSync(bytes, { level: 9 }).length;
}
