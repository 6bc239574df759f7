/** Everything a machine can say without running the product, side by side. `--json` prints the same as data. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";

type Result = { name: string; ok: boolean; seconds: number; output: string };

const PLACES = ["src", "build", "demo", "tests", "scripts", "bin", "examples"];
const CHECKS: [name: string, command: string, ...args: string[]][] = [
  // Types with the lint that reads them: two programs would each work out every type of the repository.
  ["lint", "oxlint", "--type-aware", "--type-check", "--deny-warnings", ...PLACES, "vitest.config.ts"],
  ["imports", "node", "scripts/imports-proof.ts", "--picture"],
  ["unused", "knip", "--no-progress"],
  ["format", "oxfmt", "--check", ...PLACES, "vitest.config.ts", "console"],
  ["console", "node", "scripts/console.ts", "--check"],
  ["house", "node", "scripts/house.ts"],
  ["schema", "node", "scripts/schema.ts", "--check"],
  ["reference", "node", "scripts/write-reference.ts", "--check"],
  ["openapi", "node", "scripts/write-openapi.ts", "--check"],
  ["fidelity", "node", "scripts/write-fidelity.ts", "--check"],
  ["denials", "node", "scripts/denials.ts"],
  ["rules", "node", "scripts/rules.ts"],
  ["coverage", "node", "scripts/spec-coverage.ts", "--check"],
  ["money", "node", "scripts/draw-money.ts", "--check"],
  ["crossing", "node", "scripts/draw-crossing.ts", "--check"],
  ["dashboards", "node", "scripts/write-dashboards.ts", "--check"],
  ["chart", "node", "scripts/write-chart-files.ts", "--check"],
  ["growing", "node", "scripts/draw-growing.ts", "--check"],
  ["lockfile", "node", "scripts/lockfile.ts"],
];

/** Those that read types are written in Go, and would take a quarter of their time to collect garbage. */
const GOGC = "400";

const asJson = process.argv.includes("--json");
const startedAt = performance.now();
const queue = CHECKS.filter(([, command, script]) => command !== "node" || existsSync(script ?? ""));
const results: Result[] = [];
await Promise.all(
  Array.from({ length: 3 }, async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const result = await run(...next);
      results.push(result);
      if (!asJson) report(result);
    }
  }),
);

const failed = results.filter(({ ok }) => !ok);
const seconds = round((performance.now() - startedAt) / 1000);
if (asJson) console.log(JSON.stringify({ ok: failed.length === 0, seconds, results }, null, 2));
else
  console.log(
    failed.length === 0
      ? `check: all good in ${seconds} s`
      : `check: ${failed.map(({ name }) => name).join(", ")} failed`,
  );
process.exit(failed.length === 0 ? 0 : 1);

function run(name: string, command: string, ...args: string[]): Promise<Result> {
  const begunAt = performance.now();
  return new Promise((done) => {
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], env: { GOGC, ...process.env } });
    let output = "";
    child.stdout.on("data", (bytes: Buffer) => (output += bytes.toString()));
    child.stderr.on("data", (bytes: Buffer) => (output += bytes.toString()));
    child.on("error", (error) => done({ name, ok: false, seconds: 0, output: error.message }));
    child.on("close", (code) =>
      done({ name, ok: code === 0, seconds: round((performance.now() - begunAt) / 1000), output }),
    );
  });
}

function report({ name, ok, seconds, output }: Result): void {
  console.log(`${ok ? "✓" : "✗"} ${name.padEnd(10)} ${seconds.toFixed(1)} s`);
  if (!ok || output.includes("skipped:")) console.log(output.trimEnd());
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
