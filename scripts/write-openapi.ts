/**
 * Writes the descriptions of the public interface and of the admin API from the schemas that requests are validated with. With
 * `--check` nothing is written: it fails when they differ.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describeAdmin } from "../build/openapi/admin/describe-admin.ts";
import { createOpenApiDocument } from "../build/openapi/openapi-document.ts";

const DOCUMENTS = {
  "docs/reference/openapi.json": createOpenApiDocument(""),
  "docs/reference/admin-openapi.json": describeAdmin(),
};

for (const [path, document] of Object.entries(DOCUMENTS)) {
  const file = join(import.meta.dirname, "..", path);
  const text = `${JSON.stringify(document, null, 2)}\n`;
  if (!process.argv.includes("--check")) {
    writeFileSync(file, text);
    console.log(`wrote ${path}`);
  } else if (contentOf(file) !== text) {
    console.error(`${path} does not agree with the code; run scripts/write-openapi.ts`);
    process.exitCode = 1;
  }
}

function contentOf(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
