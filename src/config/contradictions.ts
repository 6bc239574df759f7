import type { Secret } from "../core/secret/secret.ts";
import type { Problem } from "./config-error.ts";
import { describeSource, type SettingSource } from "./source.ts";

type Settings = {
  limits: { headersTimeoutMs: number; bodyTimeoutMs: number };
  admin: { token: Secret | null; metricsToken: Secret | null };
  cli: { url: string | null; token: Secret | null };
  init: { email: string | null; password: Secret | null };
  signIn: { issuer: string | null; clientId: string | null; groups: string };
  credential: { key: Secret | null };
};

type SourceOf = (path: string) => SettingSource;

/** Settings that are valid alone but contradict each other. Names the one that was set, since the defaults agree. */
export const contradictionsIn = (settings: Settings, sourceOf: SourceOf): Problem[] => [
  ...inTimeouts(settings, sourceOf),
  ...inTokens(settings, sourceOf),
  ...inCommands(settings, sourceOf),
  ...inInit(settings, sourceOf),
  ...inSignIn(settings, sourceOf),
];

function inTimeouts({ limits }: Settings, sourceOf: SourceOf): Problem[] {
  const { headersTimeoutMs, bodyTimeoutMs } = limits;
  if (headersTimeoutMs <= bodyTimeoutMs) return [];
  const [headers, body] = ["limits.headers_timeout_ms", "limits.body_timeout_ms"] as const;
  const isBodySet = sourceOf(body).kind !== "default";
  return [
    {
      path: isBodySet ? body : headers,
      source: describeSource(sourceOf(isBodySet ? body : headers)),
      message: isBodySet
        ? `must be at least ${headers} (${headersTimeoutMs}), because the headers come first; got ${bodyTimeoutMs}.`
        : `must be at most ${body} (${bodyTimeoutMs}), because the headers come first; got ${headersTimeoutMs}.`,
    },
  ];
}

/** With equal tokens, Prometheus would have full access. */
function inTokens({ admin: { token, metricsToken } }: Settings, sourceOf: SourceOf): Problem[] {
  if (token === null || metricsToken?.reveal() !== token.reveal()) return [];
  const path = "admin.metrics_token";
  const message = "must differ from admin.token, which gives full access. Generate another token.";
  return [{ path, source: describeSource(sourceOf(path)), message }];
}

/** One without the other would send commands to the database, to the surprise of whoever set it. */
function inCommands({ cli: { url, token } }: Settings, sourceOf: SourceOf): Problem[] {
  if ((url === null) === (token === null)) return [];
  const [path, other] = url === null ? ["cli.token", "TOLLGATE_URL"] : ["cli.url", "TOLLGATE_TOKEN"];
  const message = `is set and ${other} is not. Set both to send commands to a running gateway, or neither.`;
  return [{ path, source: describeSource(sourceOf(path)), message }];
}

/** One without the other makes nobody. */
function inInit({ init: { email, password } }: Settings, sourceOf: SourceOf): Problem[] {
  if ((email === null) === (password === null)) return [];
  const [path, other] = email === null ? ["init.password", "init.email"] : ["init.email", "init.password"];
  return [{ path, source: describeSource(sourceOf(path)), message: `also needs ${other}. Set it too.` }];
}

/** An issuer alone signs nobody in. Its refresh tokens are credentials, and stored as such. */
function inSignIn({ signIn, credential }: Settings, sourceOf: SourceOf): Problem[] {
  if (signIn.issuer === null) return [];
  const path = "sign_in.issuer";
  const missing = [
    ...(signIn.clientId === null ? ["sign_in.client_id"] : []),
    ...(signIn.groups === "" ? ["sign_in.groups"] : []),
    ...(credential.key === null ? ["credential.key"] : []),
  ];
  if (missing.length === 0) return [];
  return [
    {
      path,
      source: describeSource(sourceOf(path)),
      message: `also needs ${missing.join(", ")}. Set ${missing.length === 1 ? "it" : "them"} too.`,
    },
  ];
}
