import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, rememberSecrets, startGatewayProcess } from "../support/gateway-process.ts";
import { type Ran, runTollgate } from "../support/run-tollgate.ts";
import { childEnvironment } from "../support/child-environment.ts";

/** As LiteLLM makes them: `sk-` and 16 random bytes in base64url. */
const SECRETS = {
  credit: "sk-q3N7xVd0LkRzT9aWbYpE2g",
  budget: "sk-Zk41mQwR8tYuIo5PaSdFgh",
  digest: "sk-Lm9nBv7cXz2QwErTyUiOpA",
  rotated: "sk-7hG6fD5sA4pO3iU2yT1rEw",
};

let gateway: GatewayProcess;
beforeAll(async () => {
  rememberSecrets(Object.values(SECRETS));
  gateway = await startGatewayProcess({ settings: { TOLLGATE_KEYS_ACCEPT_FOREIGN: "on" } });
});
afterAll(() => gateway.stop());

const env = (accept = "on") => ({
  ...childEnvironment(),
  HOME: gateway.folder,
  TOLLGATE_KEYS_ACCEPT_FOREIGN: accept,
});
const keep = (secret: string, ...words: string[]): Promise<Ran> =>
  runTollgate(["keys", "create", "--existing-secret-stdin", ...words], {
    cwd: gateway.folder,
    env: env(),
    input: `${secret}\n`,
  });

async function status(
  secret: string,
  origin = "",
  header: "authorization" | "x-api-key" = "authorization",
): Promise<number> {
  const response = await fetch(`${gateway.publicUrl}${origin}/v1/messages`, {
    method: "POST",
    headers: {
      [header]: header === "authorization" ? `Bearer ${secret}` : secret,
      "anthropic-version": "2023-06-01",
      "content-type": "application/json",
    },
    body: JSON.stringify({ model: "sim-fast", max_tokens: 5, messages: [{ role: "user", content: "Hello" }] }),
  });
  await response.arrayBuffer();
  return response.status;
}

test("a key that keeps its secret works in its mode alone, pays, and is suspended and revoked like any other", async () => {
  const made = await keep(SECRETS.credit, "--credit", "1", "--label", "moved");
  expect(made).toMatchObject({ code: 0, stdout: "", stderr: expect.stringContaining("kept the secret") as string });
  const [, prefix = ""] = /key (ext_[0-9a-f]{8})…/.exec(made.stderr) ?? [];
  expect(prefix).toBe(`ext_${createHash("sha256").update(SECRETS.credit).digest("hex").slice(0, 8)}`);

  expect(await status(SECRETS.credit)).toBe(200);
  expect(await status(SECRETS.credit, "", "x-api-key")).toBe(200);
  expect(await status(SECRETS.credit, "/token")).toBe(401);
  const shown = await gateway.tollgate("keys", "show", prefix, "--json");
  expect(JSON.parse(shown.stdout)).toMatchObject({ key: { prefix, mode: "credit" }, funds: { requests: 2 } });
  expect(shown.stdout).not.toContain(SECRETS.credit.slice(0, 8));

  await gateway.tollgate("keys", "suspend", prefix);
  expect(await status(SECRETS.credit)).toBe(401);
  await gateway.tollgate("keys", "resume", prefix);
  expect(await status(SECRETS.credit)).toBe(200);
  await gateway.tollgate("keys", "revoke", prefix);
  expect(await status(SECRETS.credit)).toBe(401);
  expect(await keep(SECRETS.credit)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("A key has this secret already") as string,
  });
});

test("a token budget works at its own origin, and a rotation replaces the kept secret by one of ours", async () => {
  expect(await keep(SECRETS.budget, "--mode", "token_budget", "--budget", "100000")).toMatchObject({ code: 0 });
  expect(await status(SECRETS.budget, "/token")).toBe(200);
  expect(await status(SECRETS.budget)).toBe(401);

  const prefix = `ext_${createHash("sha256").update(SECRETS.budget).digest("hex").slice(0, 8)}`;
  const { stdout } = await gateway.tollgate("keys", "rotate", prefix, "--overlap", "0");
  rememberSecrets([stdout.trim()]);

  expect(stdout).toMatch(/^tgt_/);
  expect(await status(stdout.trim(), "/token")).toBe(200);
  expect(await status(SECRETS.budget, "/token")).toBe(401);
});

test("keys of LiteLLM are taken over by their digests: planned, then created once, with what does not carry", async () => {
  const digest = createHash("sha256").update(SECRETS.digest).digest("hex");
  const rows = [
    {
      token: digest,
      key_alias: "batch",
      models: ["sim-fast"],
      rpm_limit: 600,
      max_budget: 2,
      spend: 0.5,
      tpm_limit: 1000,
    },
    { token: "0".repeat(64), key_alias: "unknown model", models: ["gone"] },
    { token: "1".repeat(64), blocked: true },
  ];
  writeFileSync(join(gateway.folder, "keys.jsonl"), rows.map((row) => JSON.stringify(row)).join("\n"));
  const run = (...words: string[]): Promise<Ran> =>
    runTollgate(["keys", "import", "keys.jsonl", "--from", "litellm", ...words], { cwd: gateway.folder, env: env() });

  const planned = await run();
  expect(planned).toMatchObject({ code: 0, stdout: expect.stringContaining("2 keys to create, 1 skipped") as string });
  expect(await status(SECRETS.digest)).toBe(401);
  const applied = await run("--apply");
  expect(applied).toMatchObject({
    code: 1,
    stdout: expect.stringContaining("1 created, 0 already there, 1 refused, 1 skipped") as string,
  });
  expect(applied.stdout).toMatch(/keys\.jsonl:1 +tpm_limit: /);
  expect(applied.stdout).toMatch(/keys\.jsonl:2 +refused: .*gone/);
  expect(await status(SECRETS.digest)).toBe(200);
  expect((await run("--apply", "--json")).stdout).toContain('"outcome": "present"');
  const { stdout } = await gateway.tollgate("keys", "show", `ext_${digest.slice(0, 8)}`, "--json");
  expect(JSON.parse(stdout)).toMatchObject({
    key: { label: "batch", rpm_limit: 600, models: ["sim-fast"] },
    funds: { purchased: "1.5" },
  });
});

test("weak secrets, secrets of ours, and a secret beside a digest are refused", async () => {
  expect(await keep("sk-1234")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("7 characters; 24 to 256") as string,
  });
  expect(await keep(gateway.keys.credit)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("begins like a secret of Tollgate") as string,
  });
  const admin = await fetch(`${gateway.adminUrl}/admin/v1/keys`, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.adminToken}`, "content-type": "application/json" },
    body: JSON.stringify({ mode: "credit", existing_secret: SECRETS.rotated, existing_digest: "a".repeat(64) }),
  });
  expect([admin.status, await admin.text()]).toEqual([
    400,
    expect.stringContaining("either existing_secret or existing_digest") as string,
  ]);
});

test("models of a LiteLLM configuration are planned, then applied, and serve requests at their price", async () => {
  const params = {
    model: "openai/sim+tokens=6",
    api_base: `${gateway.simulatorUrl}/v1`,
    api_key: "os.environ/SIMULATED_PROVIDER_KEY",
  };
  const config = {
    model_list: [
      {
        model_name: "moved",
        litellm_params: { ...params, input_cost_per_token: 0.000001, output_cost_per_token: 0.000002 },
      },
    ],
    litellm_settings: { cache_params: { password: "sk-never-shown" } },
    router_settings: { model_group_alias: { other: "moved" } },
    general_settings: { master_key: "sk-never-shown-either" },
  };
  writeFileSync(join(gateway.folder, "config.yaml"), JSON.stringify(config));

  const planned = await gateway.tollgate("import", "litellm", "config.yaml");
  const applied = await gateway.tollgate("import", "litellm", "config.yaml", "--apply", "--write", "moved.yaml");
  const again = await gateway.tollgate("catalogue", "apply", "moved.yaml");

  expect(planned).toMatchObject({ code: 0, stdout: expect.stringContaining("Nothing was changed") as string });
  expect(planned.stdout).toMatch(/config\.yaml:1 +general_settings\.master_key +set TOLLGATE_ADMIN_TOKEN/);
  expect(applied.code).toBe(0);
  expect(`${planned.stdout}${applied.stdout}`).not.toContain("sk-never-shown");
  expect(again.stdout).toContain("Nothing to change.");
  for (const model of ["moved", "other"]) {
    const response = await fetch(`${gateway.publicUrl}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${gateway.keys.credit}`, "content-type": "application/json" },
      body: JSON.stringify({ model, max_tokens: 50, messages: [{ role: "user", content: "Hello" }] }),
    });
    expect(response.status).toBe(200);
    const { usage } = (await response.json()) as { usage: { prompt_tokens: number; completion_tokens: number } };
    const due = (usage.prompt_tokens + 2 * usage.completion_tokens) / 1e6;
    expect(Number(response.headers.get("x-tollgate-cost"))).toBeCloseTo(due, 9);
  }
});
