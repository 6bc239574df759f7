import type { Answer } from "./answer-fields.ts";

/** A gateway that is asked, with somebody's tokens. */
export type Side = {
  base: string;
  /** Of somebody with managed settings and a limit. */
  access: string;
  refresh: string;
  /** Of somebody of another group, without managed settings. */
  plain: string;
  /** A device code that was exchanged for tokens. */
  usedCode: string;
  /** A device code whose person refused. */
  deniedCode: string;
  model: string;
};

export type Probe = { name: string; ask: (side: Side) => Promise<Answer> };

const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";
const AGENT = "claude-code/2.1.325";

async function answerOf(url: string, options: RequestInit): Promise<Answer> {
  const response = await fetch(url, { redirect: "manual", ...options });
  return { status: response.status, headers: response.headers, body: await response.text() };
}

const get = (side: Side, path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Answer> =>
  answerOf(`${side.base}${path}`, { method, headers: { "user-agent": AGENT, ...headers } });

const postForm = (side: Side, path: string, form: Record<string, string>): Promise<Answer> =>
  answerOf(`${side.base}${path}`, {
    method: "POST",
    headers: { "user-agent": AGENT, "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(form).toString(),
  });

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

type Told = { token: string; model: string; path?: string; more?: Record<string, unknown> };

const postMessage = (side: Side, { token, model, path = "/v1/messages?beta=true", more = { max_tokens: 16 } }: Told) =>
  answerOf(`${side.base}${path}`, {
    method: "POST",
    headers: {
      ...bearer(token),
      "user-agent": `${AGENT.replace("code", "cli")} (external, cli)`,
      "content-type": "application/json",
      "anthropic-version": "2023-06-01",
    },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "hello" }], ...more }),
  });

const postTelemetry = (side: Side, signal: string, token: string): Promise<Answer> =>
  answerOf(`${side.base}/v1/${signal}`, {
    method: "POST",
    headers: { ...bearer(token), "content-type": "application/x-protobuf" },
    // A message without fields is an empty export.
    body: new Uint8Array(0),
  });

const started = async (side: Side): Promise<string> => {
  const { body } = await postForm(side, "/oauth/device_authorization", { surface: "claude_code" });
  return String((JSON.parse(body) as { device_code?: unknown }).device_code);
};

const poll = (side: Side, deviceCode: string): Promise<Answer> =>
  postForm(side, "/oauth/token", { grant_type: DEVICE_GRANT, device_code: deviceCode });

const settings = (side: Side, token: string, headers: Record<string, string> = {}): Promise<Answer> =>
  get(side, "/managed/settings", { ...bearer(token), ...headers });

/** Every endpoint of the protocol, in the order in which a client meets them. */
export const PROBES: readonly Probe[] = [
  { name: "discovery", ask: (side) => get(side, "/.well-known/oauth-authorization-server") },
  {
    name: "device authorization",
    ask: (side) => postForm(side, "/oauth/device_authorization", { surface: "claude_code" }),
  },
  { name: "code page", ask: (side) => get(side, "/device?user_code=BBBB-BBBB", { accept: "text/html" }) },
  { name: "code page, form of another site", ask: (side) => postForm(side, "/device", { user_code: "BBBB-BBBB" }) },
  { name: "token, pending", ask: async (side) => poll(side, await started(side)) },
  {
    name: "token, polled too fast",
    ask: async (side) => {
      const code = await started(side);
      await poll(side, code);
      return poll(side, code);
    },
  },
  { name: "token, denied", ask: (side) => poll(side, side.deniedCode) },
  { name: "token, used code", ask: (side) => poll(side, side.usedCode) },
  { name: "token, unknown code", ask: (side) => poll(side, "A".repeat(43)) },
  { name: "token, no grant type", ask: (side) => postForm(side, "/oauth/token", {}) },
  { name: "token, no device code", ask: (side) => postForm(side, "/oauth/token", { grant_type: DEVICE_GRANT }) },
  { name: "token, other grant type", ask: (side) => postForm(side, "/oauth/token", { grant_type: "password" }) },
  {
    name: "refresh",
    ask: (side) => postForm(side, "/oauth/token", { grant_type: "refresh_token", refresh_token: side.refresh }),
  },
  {
    name: "refresh, rejected",
    ask: (side) => postForm(side, "/oauth/token", { grant_type: "refresh_token", refresh_token: "made-up" }),
  },
  { name: "refresh, no token", ask: (side) => postForm(side, "/oauth/token", { grant_type: "refresh_token" }) },
  { name: "managed settings", ask: (side) => settings(side, side.access) },
  {
    name: "managed settings, known",
    ask: async (side) => {
      const { headers } = await settings(side, side.access);
      return settings(side, side.access, { "if-none-match": headers.get("etag") ?? "" });
    },
  },
  { name: "managed settings, if-none-match *", ask: (side) => settings(side, side.access, { "if-none-match": "*" }) },
  { name: "managed settings, none for this person", ask: (side) => settings(side, side.plain) },
  { name: "managed settings, no bearer", ask: (side) => get(side, "/managed/settings") },
  { name: "managed settings, bad bearer", ask: (side) => settings(side, "made-up") },
  {
    name: "models",
    ask: (side) => get(side, "/v1/models?limit=1000", { ...bearer(side.access), "anthropic-version": "2023-06-01" }),
  },
  { name: "usage", ask: (side) => get(side, "/api/oauth/usage", bearer(side.access)) },
  { name: "message", ask: (side) => postMessage(side, { token: side.access, model: side.model }) },
  {
    name: "message, unknown model",
    ask: (side) => postMessage(side, { token: side.access, model: "claude-unknown-1" }),
  },
  { name: "message, bad bearer", ask: (side) => postMessage(side, { token: "made-up", model: side.model }) },
  {
    name: "count tokens",
    ask: (side) =>
      postMessage(side, {
        token: side.access,
        model: side.model,
        path: "/v1/messages/count_tokens?beta=true",
        more: {},
      }),
  },
  ...["metrics", "logs", "traces"].map((signal) => ({
    name: `telemetry, ${signal}`,
    ask: (side: Side) => postTelemetry(side, signal, side.access),
  })),
  { name: "telemetry, bad bearer", ask: (side) => postTelemetry(side, "metrics", "made-up") },
  { name: "hello", ask: (side) => get(side, "/api/hello", bearer(side.access), "HEAD") },
  { name: "bootstrap of Claude Desktop", ask: (side) => get(side, "/user/bootstrap", bearer(side.access)) },
  { name: "protocol", ask: (side) => get(side, "/protocol") },
];

/** When the limit of the person is used up. */
export const USED_UP_PROBES: readonly Probe[] = [
  { name: "message, limit used up", ask: (side) => postMessage(side, { token: side.access, model: side.model }) },
];

/** At the end, because they end what the others need. */
export const LAST_PROBES: readonly Probe[] = [
  { name: "revoke", ask: (side) => postForm(side, "/oauth/revoke", { token: side.access }) },
  { name: "usage, revoked", ask: (side) => get(side, "/api/oauth/usage", bearer(side.access)) },
];
