/**
 * Writes the description of the interface from the schemas that requests are validated with. With `--check` nothing is written: it
 * fails when the two differ.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createOpenApiDocument } from "../src/openapi/openapi-document.ts";

const PATH = "docs/reference/openapi.json";
const FILE = join(import.meta.dirname, "..", PATH);

const text = `${JSON.stringify(createOpenApiDocument(""), null, 2)}\n`;

if (!process.argv.includes("--check")) {
  writeFileSync(FILE, text);
  console.log(`wrote ${PATH}`);
} else if (contentOf(FILE) !== text) {
  console.error(`${PATH} does not agree with the code; run scripts/write-openapi.ts`);
  process.exitCode = 1;
}

function contentOf(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
