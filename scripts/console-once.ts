/**
 * Builds the console where it was never built: npm runs this before `npm run dev`, so that a fresh clone has one. Where it cannot be built,
 * it says why and what to do, and `dev` starts without it. Standard output stays empty: programs read what `dev --json` prints there.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");

if (!existsSync(join(ROOT, "console/dist/index.html"))) {
  process.stderr.write("Building the console, once for this clone. It takes about a quarter of a minute.\n");
  const startedAt = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, ["scripts/console.ts"], {
    cwd: ROOT,
    encoding: "utf8",
    // Without a network, dev must not wait for npm to try again.
    env: { ...process.env, npm_config_fetch_retries: "0", npm_config_fetch_timeout: "30000" },
  });
  const seconds = Math.ceil((performance.now() - startedAt) / 1000);
  process.stderr.write(
    status === 0
      ? `The console was built in ${seconds} s.\n`
      : `The console was not built: ${reasonIn(stderr + stdout)}\nEverything else works without it. To build it later, run: npm run console\n`,
  );
}

/** npm and Vite print the reason first and a stack later. */
function reasonIn(output: string): string {
  const lines = output.split("\n").map((line) => line.replace(/^npm (?:error|ERR!) /, "").trim());
  return lines.find((line) => /E[A-Z]{4,}|error/i.test(line) && !line.startsWith("code ")) ?? "the build failed.";
}
