import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";

type Encoding = "br" | "gzip" | "identity";

/** A file of the build in every form it has, with the tag of its content. */
export type ConsoleFile = {
  type: string;
  etag: string;
  bodies: Partial<Record<Encoding, Buffer>> & { identity: Buffer };
};

export type ConsoleFiles = ReadonlyMap<string, ConsoleFile>;

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

/**
 * Reads what `npm run console` built into memory, once. Whatever is asked for later is looked up among these names, so that no
 * path leads to another file. Empty: nothing is built.
 */
export function readConsole(folder: string): ConsoleFiles {
  if (!existsSync(join(folder, "index.html"))) return new Map();
  const names = globSync("{*.html,assets/*}", { cwd: folder }).filter((name) => TYPES[extname(name)] !== undefined);
  return new Map(names.map((name) => [name.replaceAll("\\", "/"), readForms(join(folder, name))]));
}

function readForms(path: string): ConsoleFile {
  const identity = readFileSync(path);
  const packed = (suffix: string): Buffer | undefined =>
    existsSync(path + suffix) ? readFileSync(path + suffix) : undefined;
  const [br, gzip] = [packed(".br"), packed(".gz")];
  return {
    type: TYPES[extname(path)] ?? "",
    etag: `"${createHash("sha256").update(identity).digest("base64url").slice(0, 22)}"`,
    bodies: { identity, ...(br && { br }), ...(gzip && { gzip }) },
  };
}
