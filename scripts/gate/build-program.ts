import { rmSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";

const ROOT = join(import.meta.dirname, "../..");

/** What the program starts by its own name beside itself: threads, the demo, and the simulated provider. */
const ENTRIES = {
  main: "src/main.ts",
  tollgate: "src/cli/tollgate.ts",
  "pglite-worker": "src/db/pglite/pglite-worker.ts",
  "job-thread": "src/offload/job-thread.ts",
  "price-list-thread": "src/app/catalogue/price-list-thread.ts",
  demo: "demo/open-demo.ts",
  simulator: "src/simulator/main.ts",
};

/**
 * Packs the program and its dependencies into a few files, in two folders below the root, where it finds the migrations and the console as
 * `src/` does. To find and link a thousand modules takes a third of the processor time of a start, and a run of the tests starts hundreds.
 * PGlite stays outside: it reads files from its own folder.
 */
export async function buildProgram(name: string): Promise<{ folder: string; remove: () => void }> {
  const folder = join(ROOT, ".gate", name);
  rmSync(folder, { recursive: true, force: true });
  const bundle = await rolldown({
    cwd: ROOT,
    input: ENTRIES,
    platform: "node",
    external: [/^node:/, /^@electric-sql\//, "pg-native"],
    logLevel: "silent",
  });
  await bundle.write({ dir: folder, format: "esm", entryFileNames: "[name].js", chunkFileNames: "[name]-[hash].js" });
  await bundle.close();
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
