import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CHAT, modelFor } from "../contract/operations.ts";
import { childEnvironment } from "../support/child-environment.ts";
import { type GatewayProcess, rememberSecrets } from "../support/gateway-process.ts";
import { approve } from "../support/oidc/device-client.ts";
import { type SignInGateway, startSignInGateway } from "../support/oidc/sign-in-gateway.ts";
import { MAIN, type Ran, runTollgate } from "../support/run-tollgate.ts";

let stage: SignInGateway;
let gateway: GatewayProcess;
let home: string;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "tollgate-login-"));
  stage = await startSignInGateway({
    groups: "search -> member of Acme/Search",
    users: { ann: { email: "ann@acme.example", name: "Ann", groups: ["search"] } },
    models: { plain: modelFor(CHAT, "sim") },
  });
  ({ gateway } = stage);
});
afterAll(async () => {
  await stage?.stop();
  rmSync(home, { recursive: true });
});

const environment = (): Record<string, string> => ({ ...childEnvironment(), HOME: home, XDG_CONFIG_HOME: "" });
const run = (...words: string[]): Promise<Ran> => runTollgate(words, { cwd: home, env: environment() });
const file = (): string => join(home, ".config/tollgate/sessions.json");

/** Runs `tollgate login` and does what it says. */
async function login(): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [MAIN, "login", "--url", gateway.publicUrl], { cwd: home, env: environment() });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (bytes: Buffer) => (stdout += bytes.toString()));
  const told = new Promise<{ page: string; userCode: string }>((resolve) => {
    child.stderr.on("data", (bytes: Buffer) => {
      stderr += bytes.toString();
      const [, page, userCode] = /Open (\S+)\nand compare the code: (\S+)/.exec(stderr) ?? [];
      if (page !== undefined && userCode !== undefined) resolve({ page, userCode });
    });
  });
  const closed = once(child, "close") as Promise<[number | null]>;
  await approve({ ...(await told), deviceCode: "" }, "ann");
  const [code] = await closed;
  return { code, stdout, stderr };
}

test("login, token and logout: a session that only its owner can read, renewed once for many, and ended", async () => {
  expect(await run("token")).toMatchObject({ code: 1, stderr: expect.stringContaining("tollgate login") as unknown });
  expect(await login()).toMatchObject({ code: 0, stdout: expect.stringContaining("You are signed in at") as unknown });
  expect(statSync(file()).mode & 0o777).toBe(0o600);

  const first = (await run("token")).stdout.trim();
  rememberSecrets([first]);
  const asking = (token: string): Promise<Response> =>
    fetch(`${gateway.publicUrl}/v1/usage`, { headers: { authorization: `Bearer ${token}` } });
  expect((await asking(first)).status).toBe(200);

  const kept = JSON.parse(readFileSync(file(), "utf8")) as Record<
    string,
    { expiresAtMs: number; refreshToken: string }
  >;
  const session = kept[gateway.publicUrl];
  if (session === undefined) throw new Error("no session was kept");
  rememberSecrets([session.refreshToken]);
  session.expiresAtMs = Date.now() + 1_000;
  writeFileSync(file(), JSON.stringify(kept), { mode: 0o600 });
  const renewed = await Promise.all(Array.from({ length: 4 }, () => run("token")));
  const tokens = new Set(renewed.map(({ stdout }) => stdout.trim()));
  rememberSecrets([...tokens]);
  expect(tokens.size).toBe(1);
  expect(tokens.has(first)).toBe(false);
  expect((await asking([...tokens][0] ?? "")).status).toBe(200);

  expect((await run("logout")).code).toBe(0);
  expect((await asking([...tokens][0] ?? "")).status).toBe(401);
  expect((await run("token")).code).toBe(1);
  expect(existsSync(`${file()}.lock`)).toBe(false);
}, 60_000);

test("connect --sign-in writes a command in place of a key", async () => {
  await login();
  const claude = await run(
    "connect",
    "claude-code",
    "--sign-in",
    "--url",
    gateway.publicUrl,
    "--model",
    "plain",
    "--write",
  );
  const codex = await run("connect", "codex", "--sign-in", "--url", gateway.publicUrl, "--model", "plain", "--write");
  const again = await run("connect", "codex", "--sign-in", "--url", gateway.publicUrl, "--model", "plain", "--write");
  const token = (await run("token")).stdout.trim();
  rememberSecrets([token]);

  expect([claude.code, codex.code, again.code]).toEqual([0, 0, 0]);
  expect(claude.stdout).toContain("auth.accept_equal_credentials");
  expect(JSON.parse(readFileSync(join(home, ".claude/settings.json"), "utf8"))).toEqual({
    apiKeyHelper: `tollgate token --url ${gateway.publicUrl}`,
    env: {
      ANTHROPIC_BASE_URL: gateway.publicUrl,
      ANTHROPIC_MODEL: "plain",
      ANTHROPIC_DEFAULT_HAIKU_MODEL: "plain",
      ANTHROPIC_AUTH_TOKEN: "",
      ANTHROPIC_API_KEY: "",
    },
  });
  expect(readFileSync(join(home, ".codex/config.toml"), "utf8")).toContain(
    `[model_providers.tollgate-sign-in]\nname = "Tollgate"\nbase_url = "${gateway.publicUrl}/v1"\nwire_api = "responses"\nauth = { command = "tollgate", args = ["token","--url","${gateway.publicUrl}"] }`,
  );
  expect(again.stdout).toContain("has these settings already");
  for (const { stdout, stderr } of [claude, codex, again]) expect(stdout + stderr).not.toContain(token);
  const cursor = await run("connect", "cursor", "--sign-in", "--url", gateway.publicUrl);
  expect(cursor).toMatchObject({ code: 1, stderr: expect.stringContaining("claude-code and codex") as unknown });
}, 60_000);

test("connect --sign-in tells whether the gateway takes the token in both headers, as Claude Code sends it", async () => {
  const words = ["connect", "claude-code", "--sign-in", "--model", "plain", "--check", "--json", "--url"];
  const strict = await run(...words, gateway.publicUrl);

  const { gateway: told } = JSON.parse(strict.stdout) as { gateway: string };
  expect(told).toContain("rejects a token that is sent in both headers");
  expect(told).toContain("auth.accept_equal_credentials: on");
}, 60_000);

test("connect --fleet writes the file of a machine, which all its users can read", async () => {
  const words = ["connect", "claude-code", "--fleet", "--url", gateway.publicUrl, "--write", "--to", "managed.json"];
  writeFileSync(join(home, "managed.json"), '{\n  "cleanupPeriodDays": 30\n}\n', { mode: 0o644 });
  const claude = await run(...words);
  const codexWords = ["connect", "codex", "--fleet", "--url", gateway.publicUrl, "--model", "plain", "--write"];
  const codex = await run(...codexWords, "--to", "codex.toml");

  expect([claude.code, codex.code]).toEqual([0, 0]);
  expect(claude.stdout).toContain(`People can sign in at ${gateway.publicUrl}.`);
  expect(JSON.parse(readFileSync(join(home, "managed.json"), "utf8"))).toEqual({
    cleanupPeriodDays: 30,
    forceLoginMethod: "gateway",
    forceLoginGatewayUrl: gateway.publicUrl,
    parentSettingsBehavior: "merge",
  });
  expect(readFileSync(join(home, "codex.toml"), "utf8")).toContain('auth = { command = "tollgate"');
  expect([statSync(join(home, "managed.json")).mode & 0o777, statSync(join(home, "codex.toml")).mode & 0o777]).toEqual([
    0o644, 0o644,
  ]);
}, 60_000);

test("connect --fleet prints the path of each operating system, and refuses what clients would not accept", async () => {
  const shown = await run("connect", "claude-code", "--fleet", "--url", gateway.publicUrl);
  const elsewhere = gateway.publicUrl.replace("127.0.0.1", "localhost");
  const renamed = await run("connect", "claude-code", "--fleet", "--url", elsewhere, "--write", "--to", "other.json");
  const plain = await run("connect", "claude-code", "--fleet", "--url", "http://gateway.example.com");
  const cursor = await run("connect", "cursor", "--fleet", "--url", gateway.publicUrl);

  for (const path of [
    "/etc/claude-code/managed-settings.json",
    "/Library/Application Support/ClaudeCode/managed-settings.json",
    String.raw`C:\Program Files\ClaudeCode\managed-settings.json`,
  ])
    expect(shown.stdout).toContain(path);
  expect(renamed).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`calls itself ${gateway.publicUrl}`) as unknown,
  });
  expect(existsSync(join(home, "other.json"))).toBe(false);
  expect(plain).toMatchObject({ code: 1, stderr: expect.stringContaining("is not https") as unknown });
  expect(cursor).toMatchObject({ code: 1, stderr: expect.stringContaining("claude-code and codex") as unknown });
}, 60_000);
