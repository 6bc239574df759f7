import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { childEnvironment } from "../support/child-environment.ts";
import { freshDatabase } from "../support/postgres.ts";
import { until } from "../support/until.ts";

const ROOT = join(import.meta.dirname, "../..");
const CARRIED = [
  "src",
  "build",
  "demo",
  "scripts",
  "schema",
  "console",
  "docs/explain",
  "docs/reference",
  "package.json",
  "package-lock.json",
  "tsconfig.json",
];
/** What `npm run console` and `npm run descriptions` make. */
const MADE = ["console/dist", "console/node_modules", "build/openapi/dist"].map((path) => join(ROOT, path));
const installed = existsSync(join(ROOT, "console/node_modules/.installed-lock.json"));

let clone: string;
beforeAll(() => {
  clone = mkdtempSync(join(tmpdir(), "tollgate-clone-"));
  for (const path of CARRIED)
    cpSync(join(ROOT, path), join(clone, path), { recursive: true, filter: (from) => !MADE.includes(from) });
  symlinkSync(join(ROOT, "node_modules"), join(clone, "node_modules"));
});
afterAll(() => rmSync(clone, { recursive: true, force: true }));

/** What `npm run dev` runs first. */
const before = (env: Record<string, string> = {}) =>
  spawnSync(process.execPath, ["scripts/console-once.ts"], {
    cwd: clone,
    encoding: "utf8",
    env: { ...childEnvironment(), HOME: clone, ...env },
  });

/** What `dev` prints in the clone until it is ready. */
async function welcome(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-fresh-"));
  const database = await freshDatabase();
  const child = spawn(
    process.execPath,
    [join(clone, "src/main.ts"), "dev", "--port", "0", "--database", database.url],
    {
      cwd: folder,
      env: { ...childEnvironment(), HOME: folder },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const exited = once(child, "exit");
  let shown = "";
  child.stdout.on("data", (bytes: Buffer) => (shown += bytes.toString()));
  try {
    await until(() => shown.includes("Press Ctrl-C to stop."), "the welcome is printed", 60_000);
    for (const [address] of shown.matchAll(/http\S+\/console/g)) expect((await fetch(address)).status).toBe(200);
    return shown;
  } finally {
    child.kill("SIGTERM");
    await exited;
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

test("without a console, dev shows no address of one, and names the command that builds it", async () => {
  const shown = await welcome();

  expect(shown).not.toContain("/console");
  expect(shown).toContain("npm run console");
});

test("where it cannot be built, npm run dev says why, names the command and goes on", () => {
  // A port that nothing listens on.
  const offline = { npm_config_registry: "http://127.0.0.1:9/", npm_config_cache: join(clone, "no-cache") };
  const { status, stderr, stdout } = before(offline);

  expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
  expect(stderr).toMatch(/^Building the console, once for this clone/);
  expect(stderr).toMatch(/The console was not built: .*ECONNREFUSED/);
  expect(stderr).toContain("npm run console");
  expect(existsSync(join(clone, "console/dist"))).toBe(false);
});

test.skipIf(!installed)("npm run dev builds the console once, says how long it took, and dev serves it", async () => {
  cpSync(join(ROOT, "console/node_modules"), join(clone, "console/node_modules"), {
    recursive: true,
    verbatimSymlinks: true,
  });

  const first = before();
  expect(first.stderr).toMatch(/^Building the console, once for this clone.*\nThe console was built in \d+ s\.\n$/);
  expect({ status: first.status, stdout: first.stdout }).toEqual({ status: 0, stdout: "" });
  expect(before()).toMatchObject({ status: 0, stdout: "", stderr: "" });

  const shown = await welcome();
  expect(shown.match(/http\S+\/console/g)).toHaveLength(2);
  expect(shown).not.toContain("npm run console");
});

test("npm run dev makes the descriptions of the API, again where a source changed, and says nothing", () => {
  const files = join(clone, "build/openapi/dist");
  const make = () =>
    spawnSync(process.execPath, ["scripts/descriptions.ts", "--once"], { cwd: clone, encoding: "utf8" });
  const made = { status: 0, stdout: "", stderr: "" };

  expect(make()).toMatchObject(made);
  const first = readFileSync(join(files, "sources.sha256"), "utf8");
  const madeAtMs = statSync(join(files, "public.html")).mtimeMs;
  expect(make()).toMatchObject(made);
  expect(statSync(join(files, "public.html")).mtimeMs).toBe(madeAtMs);

  writeFileSync(join(clone, "src/core/planted.ts"), "export const planted = 1;\n");
  expect(make()).toMatchObject(made);
  expect(readFileSync(join(files, "sources.sha256"), "utf8")).not.toBe(first);
});
