/** Compresses what was built as small as it gets, so that no process spends time on it while it serves. */
import { globSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const SMALLEST_BYTES = 1_000;

export function precompress(dist: string): void {
  for (const path of globSync("**/*.{js,css,html,svg,json}", { cwd: dist }).map((name) => join(dist, name))) {
    if (statSync(path).size < SMALLEST_BYTES) continue;
    const bytes = readFileSync(path);
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
    writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }));
  }
}
