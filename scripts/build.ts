/**
 * Builds dist/ with tsc, the API descriptions, and the console. `npm pack` calls this, so that the package carries plain JavaScript. Types are only removed here:
 * `npm run check` checks them, and to do it again takes five times as long as to write the files.
 */
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { relative } from "node:path";
import { rolldown } from "rolldown";

rmSync("dist", { recursive: true, force: true });
execFileSync("tsc", ["-p", "tsconfig.build.json"], { stdio: "inherit" });
await bundleDemo();
execFileSync("node", ["scripts/descriptions.ts"], { stdio: "inherit" });
// What npm prints on standard output is read by programs.
execFileSync("node", ["scripts/console.ts"], { stdio: ["ignore", 2, 2] });

/** The demo is one file in the folder that `src/cli/dev/load-demo.ts` is built into. What it imports from src/ is in dist/ there. */
async function bundleDemo(): Promise<void> {
  const bundle = await rolldown({
    input: { demo: "demo/open-demo.ts" },
    platform: "node",
    external: /\/src\//,
  });
  await bundle.write({
    dir: "dist/cli/dev",
    format: "esm",
    paths: (id) => (id.includes("/src/") ? `../../${relative("src", id).replace(/\.ts$/, ".js")}` : id),
  });
  await bundle.close();
}
