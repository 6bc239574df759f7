import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../support/gateway-process.ts";
import { type Ran, runTollgate } from "../support/run-tollgate.ts";
import { childEnvironment } from "../support/child-environment.ts";

let gateway: GatewayProcess;
let home: string;
beforeAll(async () => {
  gateway = await startGatewayProcess();
});
afterAll(() => gateway.stop());
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "tollgate-home-"));
  return () => rmSync(home, { recursive: true, force: true });
});

/** In a folder without a running `dev`, as on the machine of somebody who was given a key. */
function connect(
  words: string,
  { key = gateway.keys.credit, input }: { key?: string; input?: string } = {},
): Promise<Ran> {
  const env = { ...childEnvironment(), HOME: home, ...(key && { TOLLGATE_KEY: key }) };
  const args = ["connect", ...words.split(" "), "--url", gateway.publicUrl];
  return runTollgate(args, { cwd: home, env, ...(input !== undefined && { input }) });
}
const read = (path: string): string => readFileSync(join(home, path), "utf8");
const seed = (path: string, text: string): string => {
  mkdirSync(join(home, path, ".."), { recursive: true });
  writeFileSync(join(home, path), text);
  return text;
};

test("Claude Code's settings are changed beside what was there, with a backup, and no key is printed", async () => {
  const before = seed(
    ".claude/settings.json",
    '{\n  // mine\n  "env": { "EDITOR": "vi", "ANTHROPIC_AUTH_TOKEN": "sk-ant-the-old-one" }\n}\n',
  );
  const words = "claude-code --model sim-fast --write";

  const first = await connect(words);
  const second = await connect(words);

  expect(first).toMatchObject({ code: 0, stderr: "" });
  const [, backup = "", target = ""] = /^Undo: mv (\S+) (\S+)$/m.exec(first.stdout) ?? [];
  expect(target).toBe(join(home, ".claude/settings.json"));
  expect(readFileSync(backup, "utf8")).toBe(before);
  const after = read(".claude/settings.json");
  expect(after).toContain("// mine");
  expect(JSON.parse(after.replace("// mine", ""))).toEqual({
    env: {
      EDITOR: "vi",
      ANTHROPIC_AUTH_TOKEN: gateway.keys.credit,
      ANTHROPIC_BASE_URL: gateway.publicUrl,
      ANTHROPIC_MODEL: "sim-fast",
      ANTHROPIC_DEFAULT_HAIKU_MODEL: "sim-fast",
      ANTHROPIC_API_KEY: "",
    },
  });
  expect(statSync(target).mode & 0o777).toBe(0o600);
  expect(second.stdout).toContain("has these settings already");
  expect(readdirSync(join(home, ".claude"))).toHaveLength(2);
  for (const printed of [first.stdout, second.stdout]) {
    expect(printed).not.toContain(gateway.keys.credit);
    expect(printed).not.toContain("sk-ant-the-old-one");
  }
});

test("Codex gets its provider and its key, of a token budget too, from standard input", async () => {
  seed(".codex/config.toml", 'model = "gpt-6" # mine\n\n[mcp_servers.docs]\ncommand = "npx"\n');

  const { code, stdout } = await connect("codex --model sim-fast --write --key-stdin --json", {
    key: "",
    input: `${gateway.keys.token_budget}\n`,
  });

  expect(code).toBe(0);
  expect(stdout).not.toContain(gateway.keys.token_budget);
  expect(JSON.parse(stdout)).toMatchObject({
    base_url: `${gateway.publicUrl}/token`,
    files: [{ outcome: "changed" }, { outcome: "created", backup: null }],
  });
  expect(read(".codex/config.toml")).toBe(
    `model = "sim-fast" # mine\nmodel_provider = "tollgate"\nweb_search = "disabled"\n\n[mcp_servers.docs]\ncommand = "npx"\n\n[model_providers.tollgate]\nname = "Tollgate"\nbase_url = "${gateway.publicUrl}/token/v1"\nenv_key = "TOLLGATE_KEY"\nwire_api = "responses"\n`,
  );
  expect(read(".codex/.env")).toBe(`TOLLGATE_KEY=${gateway.keys.token_budget}\n`);
});

test("Codex is told not to use WebSockets that the gateway does not accept", async () => {
  seed(".codex/config.toml", "[model_providers.tollgate]\nsupports_websockets = true\n");

  expect(await connect("codex --model sim-fast --write")).toMatchObject({ code: 0 });
  expect(read(".codex/config.toml")).toContain("supports_websockets = false\n");
});

test("opencode gets the limits of the model, and the SDKs a .env in the folder", async () => {
  expect(await connect("opencode --model sim-fast --write")).toMatchObject({ code: 0 });
  expect(await connect("openai-sdk --write")).toMatchObject({ code: 0 });

  const { provider } = JSON.parse(read(".config/opencode/opencode.json")) as { provider: { tollgate: unknown } };
  expect(provider.tollgate).toMatchObject({
    options: { baseURL: `${gateway.publicUrl}/v1` },
    models: { "sim-fast": { limit: { context: 128_000, output: 16_384 } } },
  });
  expect(read(".config/opencode/tollgate.key").trim()).toBe(gateway.keys.credit);
  expect(read(".env")).toBe(`OPENAI_BASE_URL=${gateway.publicUrl}/v1\nOPENAI_API_KEY=${gateway.keys.credit}\n`);
});

test("a key, a model or a gateway that does not work is found before anything is written", async () => {
  const wrong = `${gateway.keys.credit.slice(0, -1)}${gateway.keys.credit.endsWith("x") ? "y" : "x"}`;

  expect(await connect("claude-code --model sim-fast --write", { key: wrong })).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/answered 401: The API key is not valid.*--no-check/) as string,
  });
  expect(await connect("claude-code --model nope --write")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('may not use a model "nope". It may use: sim-fast') as string,
  });
  expect(await connect("claude-code --write")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("pass --model with one of the models this key may use: sim-fast") as string,
  });
  expect(await connect("claude-code --write --model sim-fast", { key: "" })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("there is no key") as string,
  });
  expect(existsSync(join(home, ".claude"))).toBe(false);
  expect(await connect("claude-code --model nope --write --no-check", { key: wrong })).toMatchObject({ code: 0 });
});

test("a link, a file of somebody else and a file that is not understood are left alone, with the lines to paste", async () => {
  const words = "claude-code --model sim-fast --write";
  const path = join(home, ".claude/settings.json");
  const refused = async (why: string): Promise<void> => {
    const { code, stderr } = await connect(words);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(why) as string });
    expect(stderr).toContain("export ANTHROPIC_MODEL=sim-fast");
    expect(stderr).not.toContain(gateway.keys.credit);
  };

  const text = seed(".claude/settings.json", "{ not: json }\n");
  await refused("not valid JSON");
  expect(read(".claude/settings.json")).toBe(text);
  if (process.getuid?.() === 0) {
    chownSync(path, 12_345, 12_345);
    chmodSync(path, 0o666);
    await refused("belongs to another user (uid 12345)");
  }
  rmSync(path);
  seed("dotfiles.json", "{}\n");
  symlinkSync(join(home, "dotfiles.json"), path);
  await refused("symbolic link");
  expect(read("dotfiles.json")).toBe("{}\n");
  expect(await connect("cursor --write")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("Override OpenAI Base URL: on") as string,
  });
});
