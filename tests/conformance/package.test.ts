import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import OpenAI from "openai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { rememberSecrets } from "../support/gateway-process.ts";
import { packProject } from "../support/pack-project.ts";
import { until } from "../support/until.ts";

type PackedFile = { path: string; size: number };
type Ready = { publicUrl: string; adminToken: string; keys: { credit: string; token_budget: string } };

const ROOT = join(import.meta.dirname, "../..");
const WANTED_MS = 10_000;
const READY_TIMEOUT_MS = 120_000;
const INSTALL_TIMEOUT_MS = 150_000;
/** The largest page is that of the admin API. */
const LARGEST_BYTES = 1_310_720;
const OLD_NODE = "/usr/bin/node";
/** Of a revoked key, asked for one after the other. On a quiet machine they take less than a second; until it is read again it would be thousands. */
const SERVED_AFTERWARDS = 50;

/** Nothing of the tests' own surroundings but what any terminal has. */
const environment = {
  PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
  HOME: process.env["HOME"] ?? "",
};

let folder: string;
let files: PackedFile[];
let child: ChildProcess;
let ready: Ready;
let readyMs: number;
let stdout = "";
let stderr = "";

const bin = (): string => join(folder, "app/node_modules/.bin/tollgate");
const workFolder = (): string => join(folder, "work");

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-package-"));
  for (const name of ["app", "work", "tarball"]) mkdirSync(join(folder, name));
  const packed = await packProject(join(folder, "tarball"));
  const [described] = JSON.parse(packed.slice(packed.indexOf("[\n"))) as [{ filename: string; files: PackedFile[] }];
  files = described.files;
  npm(
    folder,
    "install",
    "--prefix",
    join(folder, "app"),
    "--ignore-scripts",
    "--prefer-offline",
    "--no-audit",
    "--no-fund",
    join(folder, "tarball", described.filename),
  );
  await start();
}, 2 * INSTALL_TIMEOUT_MS);

afterAll(async () => {
  if (child?.exitCode === null) {
    const exited = once(child, "exit");
    child.kill("SIGTERM");
    await exited;
  }
  rmSync(folder, { recursive: true, force: true });
});

/** With the surroundings of the tests: a machine may reach its registry only through settings found there. */
function npm(cwd: string, ...args: string[]): string {
  const env = { ...process.env, PATH: environment.PATH };
  return execFileSync("npm", args, { cwd, env, encoding: "utf8", stdio: "pipe", timeout: INSTALL_TIMEOUT_MS });
}

/** Starts it as a stranger would: in an empty folder, with no configuration, on the port it chooses by default or any other. */
async function start(): Promise<void> {
  const readyFile = join(folder, "ready.json");
  const startedAtMs = performance.now();
  child = spawn(process.execPath, [bin(), "dev", "--port", "0", "--ready-file", readyFile], {
    cwd: workFolder(),
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stdout?.on("data", (bytes: Buffer) => (stdout += bytes.toString()));
  child.stderr?.on("data", (bytes: Buffer) => (stderr += bytes.toString()));
  while (!existsSync(readyFile)) {
    readyMs = performance.now() - startedAtMs;
    if (child.exitCode !== null || readyMs > READY_TIMEOUT_MS) throw new Error(`not ready: ${stdout}${stderr}`);
    await sleep(10);
  }
  readyMs = performance.now() - startedAtMs;
  ready = JSON.parse(readFileSync(readyFile, "utf8")) as Ready;
  rememberSecrets([ready.adminToken, ready.keys.credit, ready.keys.token_budget]);
  // The file is there before the welcome has come through the pipe.
  await until(() => stdout.includes("Press Ctrl-C to stop."), "the welcome is printed");
}

function tollgate(...words: string[]) {
  return spawnSync(process.execPath, [bin(), ...words], { cwd: workFolder(), env: environment, encoding: "utf8" });
}

test("the commands that dev offers can be pasted, though no tollgate is on the path", () => {
  const [, line = "false"] = /^ {2}(.* keys list)$/m.exec(stdout) ?? [];

  expect(spawnSync("bash", ["-c", line], { cwd: workFolder(), env: environment }).status).toBe(0);
});

test("the installed package says its version, and the commit that it was built from", () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
  const asked = spawnSync("git", ["rev-parse", "HEAD"], { cwd: ROOT, encoding: "utf8" });
  const commit = asked.status === 0 ? ` (${asked.stdout.slice(0, 12)})` : "";

  expect(tollgate("--version").stdout).toBe(`${version}${commit}\n`);
});

test("the package holds what runs, and neither tests nor sources nor anything large", () => {
  const paths = files.map(({ path }) => path);

  expect(paths).toEqual(
    expect.arrayContaining(["bin/tollgate.js", "dist/main.js", "package.json", "LICENSE", "tollgate.example.yaml"]),
  );
  for (const part of ["migrations", "functions", "edition.json"])
    expect(paths.some((path) => path.startsWith(`schema/${part}`))).toBe(true);
  // An example is there to be copied, so it is a source.
  expect(
    paths.filter((path) =>
      /(^|\/)(tests?|src|scripts)\/|\.test\.|(?<!^examples\/.*|\.d)\.ts$|(^|\/)\.env|\.log$/.test(path),
    ),
  ).toEqual([]);
  expect(files.filter(({ size }) => size > LARGEST_BYTES)).toEqual([]);
  console.log(`package: ${files.length} files, ${files.reduce((sum, { size }) => sum + size, 0)} bytes unpacked`);
});

test("the installed package is ready within ten seconds, in an empty folder and with no configuration", (context) => {
  console.log(`package: ready after ${Math.round(readyMs)} ms`);
  expect(readyMs).toBeLessThan(READY_TIMEOUT_MS);
  // Told apart from a failure: on a busy machine it is the machine that is slow.
  if (readyMs > WANTED_MS) context.skip(`ready only after ${Math.round(readyMs)} ms`);
  expect(stderr).toBe("");
});

test("the line it prints to be pasted into a terminal streams an answer to its end", () => {
  const line = /^ {2}curl [\s\S]*?[^\\]$/m.exec(stdout)?.[0];
  expect(line).toContain("/v1/chat/completions");
  const { stdout: answer, status } = spawnSync("bash", ["-c", line ?? "false"], {
    encoding: "utf8",
    env: environment,
    timeout: 120_000,
  });

  expect(status).toBe(0);
  expect(answer).toMatch(/^data: \{/);
  expect(answer).toMatch(/\ndata: \[DONE\]\n\n$/);
});

test.each([
  { mode: "credit" as const, prefix: "" },
  { mode: "token_budget" as const, prefix: "/token" },
])(
  "the official SDK lists models and gets plain and streamed answers on the $mode origin",
  async ({ mode, prefix }) => {
    const client = new OpenAI({ apiKey: ready.keys[mode], baseURL: `${ready.publicUrl}${prefix}/v1`, maxRetries: 0 });
    const ask = { model: "sim-fast", messages: [{ role: "user" as const, content: "Hello" }] };

    const models = await Array.fromAsync(client.models.list());
    expect(models.map(({ id }) => id)).toContain(ask.model);
    const plain = await client.chat.completions.create(ask);
    expect(plain.choices[0]?.message.content).toMatch(/^\w+ \w+/);
    const chunks = await Array.fromAsync(await client.chat.completions.create({ ...ask, stream: true }));
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe("stop");
  },
);

test("a key made by a second process in the same folder works at once, and revoked stops after a few requests", async () => {
  const made = tollgate("keys", "create", "--credit", "10", "--json");
  expect({ status: made.status, stderr: made.stderr }).toEqual({ status: 0, stderr: "" });
  const { key, secret } = JSON.parse(made.stdout) as { key: { id: string }; secret: string };
  rememberSecrets([secret]);
  const status = async (): Promise<number> =>
    (await fetch(`${ready.publicUrl}/v1/models`, { headers: { authorization: `Bearer ${secret}` } })).status;

  expect(await status()).toBe(200);
  expect(tollgate("keys", "revoke", key.id).status).toBe(0);
  let served = 0;
  const stopped = async (): Promise<boolean> => {
    if ((await status()) === 401) return true;
    served += 1;
    return false;
  };
  await until(stopped, "it stops");
  expect(served).toBeLessThan(SERVED_AFTERWARDS);
});

test("asked to end, it ends in order", async () => {
  const exited = once(child, "exit");
  child.kill("SIGTERM");

  expect(await exited).toEqual([0, null]);
  expect(stderr).toBe("");
});

test("a Node that is too old is told so in a sentence", (context) => {
  const version = spawnSync(OLD_NODE, ["-p", "process.versions.node"], { encoding: "utf8" }).stdout?.trim() ?? "";
  if (!(Number.parseInt(version, 10) < 24)) context.skip(`no Node older than 24 at ${OLD_NODE}`);
  const run = spawnSync(OLD_NODE, [bin(), "dev"], { cwd: workFolder(), encoding: "utf8" });

  expect(run.status).toBe(1);
  expect(run.stdout).toBe("");
  expect(run.stderr).toContain(`tollgate needs Node 24.11 or newer; this is Node ${version}.`);
  expect(run.stderr).toContain("Install a newer Node (https://nodejs.org/en/download) and run the same command again.");
  // A command that names a package would fetch whatever a stranger registers under that name.
  expect(run.stderr).not.toMatch(/SyntaxError|\n {4}at |npx|npm exec/);
});
