import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../support/gateway-process.ts";
import { freshDatabase } from "../support/postgres.ts";
import { MAIN, runTollgate } from "../support/run-tollgate.ts";
import { until } from "../support/until.ts";
import { childEnvironment } from "../support/child-environment.ts";

const ONE_MODEL = {
  providers: [{ name: "ours", base_url: "http://127.0.0.1:9/v1", credential: "env:A_KEY" }],
  models: [
    {
      id: "ours-1",
      provider: "ours",
      context_window: 1_000,
      max_output_tokens: 100,
      price: { input: "1", output: "4" },
      routes: [{ provider: "ours", upstream_model: "m", format: "chat" }],
    },
  ],
};

let gateway: GatewayProcess;
let elsewhere: string;
beforeAll(async () => {
  elsewhere = mkdtempSync(join(tmpdir(), "tollgate-elsewhere-"));
  gateway = await startGatewayProcess();
});
afterAll(async () => {
  await gateway.stop();
  rmSync(elsewhere, { recursive: true, force: true });
});

test("a second dev in the same folder is refused with a sentence that names the process", async () => {
  const { code, stderr } = await gateway.tollgate("dev", "--port", "0");

  expect(code).toBe(1);
  expect(stderr).toContain(`process ${gateway.pid} is using the database`);
  expect(stderr).not.toMatch(/^\s+at /m);
});

test("a PostgreSQL that somebody else published models in is left alone by dev", async () => {
  const { url, close } = await freshDatabase();
  const catalogue = join(elsewhere, "models.json");
  const options = { cwd: elsewhere, env: { ...childEnvironment(), HOME: elsewhere, DATABASE_URL: url, A_KEY: "x" } };
  writeFileSync(catalogue, JSON.stringify(ONE_MODEL));
  try {
    expect(await runTollgate(["catalogue", "apply", catalogue], options)).toMatchObject({ code: 0 });
    const { code, stderr } = await runTollgate(["dev", "--port", "0", "--database", url], options);
    const demo = await runTollgate(["dev", "--demo", "--port", "0", "--database", url], options);
    const keys = await runTollgate(["keys", "list", "--json"], options);

    expect([code, stderr]).toEqual([1, expect.stringContaining("Name an empty database")]);
    expect([demo.code, demo.stderr]).toEqual([1, expect.stringContaining("leave --database out")]);
    expect(JSON.parse(keys.stdout)).toMatchObject({ data: [] });
  } finally {
    await close();
  }
});

test("a port that is taken ends dev with a sentence that names it, and nothing is left running", async () => {
  const { port } = new URL(gateway.publicUrl);
  const { code, stderr } = await runTollgate(["dev", "--port", port], {
    cwd: elsewhere,
    env: { ...childEnvironment(), HOME: elsewhere },
  });

  expect(code).toBe(1);
  expect(stderr).toMatch(new RegExp(`EADDRINUSE.*${port}.*--port`));
  expect(existsSync(join(elsewhere, ".tollgate/pgdata"))).toBe(false);
  expect(stderr).not.toMatch(/^\s+at /m);
});

test("the welcome's commands and links work as they are, and each request is one line without a secret or a prompt", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-welcome-"));
  const env = { ...process.env, HOME: folder, PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}` };
  const child = spawn(process.execPath, [MAIN, "dev", "--port", "0"], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  let shown = "";
  child.stdout.on("data", (bytes: Buffer) => (shown += bytes.toString()));
  try {
    await until(() => shown.includes("Press Ctrl-C to stop."), "the welcome is printed", 60_000);
    const welcome = shown;
    const paste = (line: string) => spawnSync("bash", ["-c", line], { cwd: folder, env, encoding: "utf8" });
    const commands = [...welcome.matchAll(/^ {2}(\S+ .*(?:keys|usage) .*)$/gm)].map(([, line]) => line ?? "");
    const links = [...welcome.matchAll(/http\S+\/docs/g)].map(([link]) => link);

    expect(commands).toHaveLength(3);
    for (const line of commands) expect(paste(line)).toMatchObject({ status: 0 });
    expect(links).toHaveLength(2);
    for (const link of links) expect((await fetch(link)).status).toBe(200);

    const curl = /^ {2}curl [\s\S]*?[^\\]$/m.exec(welcome)?.[0] ?? "false";
    expect(paste(curl.replace("sim-steady", "sim-fast").replace("Hello", "a-prompt-nobody-may-see")).status).toBe(0);
    await until(() => / 200 .+ sim-fast .+ in, .+ out, [\d.]+ credits\n/.test(shown), "the request is shown");
    const secret = /key +(tgc_\S+)/.exec(welcome)?.[1] ?? "";
    const lines = shown.slice(welcome.length);
    expect(secret).toMatch(/^tgc_.{20}/);
    expect(lines).not.toContain(secret);
    expect(lines).not.toContain("nobody-may-see");
    expect(lines.match(/POST {2}\/v1\/chat\/completions/g)).toHaveLength(1);
  } finally {
    child.kill("SIGTERM");
    await exited;
    rmSync(folder, { recursive: true, force: true });
  }
});
