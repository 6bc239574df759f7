/**
 * Makes the API description of both listeners, as documents and as pages, in build/openapi/dist: `npm run descriptions`. The gateway serves
 * these files and the package carries them. `-- --once` makes them only where they are missing or of other sources; what starts a gateway
 * from a clone does this first. Standard output stays empty: programs read what `dev --json` prints there.
 */
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const FOLDER = join(ROOT, "build/openapi/dist");
/** Written last, so that it stands for all the others. */
const DIGEST = "sources.sha256";

const digest = digestOfSources();
if (!process.argv.includes("--once") || !existsSync(join(FOLDER, DIGEST)) || read(join(FOLDER, DIGEST)) !== digest) {
  const { makeDescriptions } = await import("../build/openapi/descriptions.ts");
  mkdirSync(FOLDER, { recursive: true });
  for (const [name, text] of Object.entries({ ...makeDescriptions(), [DIGEST]: digest })) write(name, text);
}

/** What the descriptions are made from is imported from all over src/. */
function digestOfSources(): string {
  const files = globSync(["src/**/*.ts", "build/**/*.ts"], { cwd: ROOT }).filter((path) => !path.endsWith(".test.ts"));
  const hash = createHash("sha256");
  for (const path of ["package-lock.json", ...files.toSorted()]) hash.update(`${path}\n${read(join(ROOT, path))}`);
  return hash.digest("hex");
}

function read(path: string): string {
  return readFileSync(path, "utf8");
}

/** In one step: a gateway that reads it meanwhile gets the whole of one or the other. */
function write(name: string, text: string): void {
  const underway = join(FOLDER, `${name}.${process.pid}`);
  writeFileSync(underway, text);
  renameSync(underway, join(FOLDER, name));
}
