/**
 * In the place of Claude Code, in a terminal: `claude /login`, `/usage`, `/logout` and `claude -p PROMPT`. It reads the files that
 * Claude Code reads and sends what that sends. TEST_MANAGED_SETTINGS is where its machine-wide file is.
 */
import { execSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { checksumOf } from "../../../src/core/people/client-settings.ts";
import type { Json } from "../../../src/core/bytes/json.ts";

type Credential = { url: string; jwt: string; idpRefreshToken: string; tokenEndpoint: string; expiresAt: number };
type Discovered = { device_authorization_endpoint: string; token_endpoint: string; revocation_endpoint?: string };

const HOME = process.env["HOME"] ?? "";
const MANAGED = process.env["TEST_MANAGED_SETTINGS"] ?? "";
const CREDENTIALS = join(HOME, ".claude/.credentials.json");
const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";
const AGENT = { "user-agent": "claude-code/2.1.325" };
const DEFAULT_MODEL = "claude-sonnet-4-5";

const [first = "", prompt = ""] = process.argv.slice(2);
const say = (text: string): void => void process.stdout.write(`${text}\n`);
function fail(text: string): never {
  say(text);
  process.exit(1);
}

const readJson = (path: string): Json => (existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Json) : {});

/** The gateway that the machine-wide file names; null: people choose for themselves. */
function forcedGateway(): string | null {
  const { forceLoginMethod, forceLoginGatewayUrl } = readJson(MANAGED);
  if (forceLoginMethod !== "gateway") return null;
  const url = String(forceLoginGatewayUrl);
  if (!/^(https:|http:\/\/127\.0\.0\.1[:/])/.test(url)) fail(`Cloud gateway ${url} is not https.`);
  return url;
}

const held = (): Credential | undefined =>
  (readJson(CREDENTIALS) as { enterpriseGateway?: Credential }).enterpriseGateway;

const post = (url: string, form: Record<string, string>): Promise<Response> =>
  fetch(url, {
    method: "POST",
    redirect: "error",
    headers: { ...AGENT, "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(form).toString(),
  });

/** Endpoints count only if they are absolute and of the gateway's own origin. */
async function discover(base: string): Promise<Discovered> {
  const found = (await (
    await fetch(`${base}/.well-known/oauth-authorization-server`, { headers: AGENT })
  ).json()) as Discovered;
  const told: Readonly<Record<string, unknown>> = found;
  const urls = Object.values(told).filter((value) => typeof value === "string" && /^https?:/.test(value));
  for (const url of urls.map(String))
    if (new URL(url).origin !== new URL(base).origin) fail(`${url} is of another origin than ${base}.`);
  return found;
}

async function login(base: string): Promise<void> {
  const endpoints = await discover(base);
  const started = (await (
    await post(endpoints.device_authorization_endpoint, { surface: "claude_code" })
  ).json()) as Record<string, string>;
  const { device_code: deviceCode = "", user_code: userCode = "", verification_uri_complete: page = "" } = started;
  say(`Open ${page}\nand compare the code: ${userCode}`);
  for (;;) {
    await sleep(Number(started["interval"]) * 1_000);
    const answer = await post(endpoints.token_endpoint, { grant_type: DEVICE_GRANT, device_code: deviceCode });
    const body = (await answer.json()) as Record<string, string>;
    if (body["error"] === "authorization_pending") continue;
    if (answer.status !== 200) fail(`Sign-in failed: ${body["error"]}`);
    const credential: Credential = {
      url: base,
      jwt: body["access_token"] ?? "",
      idpRefreshToken: body["refresh_token"] ?? "",
      tokenEndpoint: endpoints.token_endpoint,
      expiresAt: Date.now() + Number(body["expires_in"]) * 1_000,
    };
    mkdirSync(dirname(CREDENTIALS), { recursive: true });
    writeFileSync(CREDENTIALS, JSON.stringify({ enterpriseGateway: credential }), { mode: 0o600 });
    return say("Login successful.");
  }
}

async function logout(base: string): Promise<void> {
  const credential = held();
  const { revocation_endpoint: url } = await discover(base);
  if (credential !== undefined && url !== undefined)
    for (const form of [
      { token: credential.jwt },
      { token: credential.idpRefreshToken, token_type_hint: "refresh_token" },
    ])
      if ((await post(url, form)).status !== 200) fail("The gateway did not revoke the session.");
  rmSync(CREDENTIALS, { force: true });
  say("Successfully logged out.");
}

/** The settings that the gateway manages. Print mode refuses to start on anything but these, none, or no answer to understand. */
async function managedSettings(base: string, headers: Record<string, string>): Promise<Json> {
  const answer = await fetch(`${base}/managed/settings`, { headers: { ...AGENT, ...headers } });
  if (answer.status === 404) return {};
  if (answer.status === 401) fail("The gateway no longer accepts this session.");
  const { checksum, settings } = (await answer.json()) as { checksum?: string; settings?: Json };
  if (settings === undefined || checksumOf(settings) !== checksum) fail("Couldn't load settings from Cloud gateway");
  return settings;
}

async function usage(base: string, headers: Record<string, string>): Promise<void> {
  const answer = await fetch(`${base}/api/oauth/usage`, { headers });
  const { limits, extra_usage: extra } = (await answer.json()) as {
    limits: { group: string; percent: number; severity: string }[];
    extra_usage: { used_credits: number | null; monthly_limit: number | null };
  };
  for (const { group, percent, severity } of limits) say(`${group}: ${percent}% used (${severity})`);
  say(`${extra.used_credits} of ${extra.monthly_limit} cents used`);
}

async function print(base: string, headers: Record<string, string>, settings: Json): Promise<void> {
  const answer = await fetch(`${base}/v1/messages?beta=true`, {
    method: "POST",
    headers: {
      ...headers,
      "user-agent": "claude-cli/2.1.325 (external, sdk-cli)",
      "anthropic-version": "2023-06-01",
      "anthropic-beta": "claude-code-20250219",
      "x-app": "cli",
      "content-type": "application/json",
    },
    body: JSON.stringify({
      model: settings["model"] ?? DEFAULT_MODEL,
      max_tokens: 200,
      stream: true,
      metadata: { user_id: JSON.stringify({ device_id: "test", account_uuid: "", session_id: "test" }) },
      messages: [{ role: "user", content: prompt }],
    }),
  });
  const text = await answer.text();
  if (answer.status !== 200) {
    const { error } = JSON.parse(text) as { error: { message: string } };
    const reset = answer.headers.get("anthropic-ratelimit-unified-reset");
    const shown = reset === null ? "" : ` · resets ${new Date(Number(reset) * 1_000).toISOString()}`;
    fail(`API Error: ${answer.status} ${error.message}${shown}`);
  }
  const deltas = text.matchAll(/^data: (.*"text_delta".*)$/gm);
  say([...deltas].map(([, data = ""]) => (JSON.parse(data) as { delta: { text: string } }).delta.text).join(""));
  if (!text.includes("event: message_stop")) fail("The stream ended early.");
}

const gateway = forcedGateway();
if (gateway === null) {
  const { apiKeyHelper, env = {} } = readJson(join(HOME, ".claude/settings.json")) as {
    apiKeyHelper?: string;
    env?: Record<string, string>;
  };
  if (apiKeyHelper === undefined) fail("Not logged in · Please run /login");
  const key = execSync(apiKeyHelper, { encoding: "utf8" }).trim();
  const headers = { authorization: `Bearer ${key}`, "x-api-key": key };
  await print(env["ANTHROPIC_BASE_URL"] ?? "", headers, { model: env["ANTHROPIC_MODEL"] ?? DEFAULT_MODEL });
} else if (first === "/login") await login(gateway);
else {
  const credential = held();
  if (credential === undefined) fail("Not signed in to the Cloud gateway — run /login.");
  const headers = { authorization: `Bearer ${credential.jwt}` };
  if (first === "/logout") await logout(gateway);
  else if (first === "/usage") await usage(gateway, headers);
  else await print(gateway, headers, await managedSettings(gateway, headers));
}
