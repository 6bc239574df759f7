import type { Secret } from "../core/secret.ts";
import type { Problem } from "./config-error.ts";
import { describeSource, type SettingSource } from "./source.ts";

type Settings = {
  limits: { headersTimeoutMs: number; bodyTimeoutMs: number };
  admin: { token: Secret | null; metricsToken: Secret | null };
};

type SourceOf = (path: string) => SettingSource;

/** Settings that are sound by themselves and cannot hold together. The one that was set is named, since defaults agree. */
export const contradictionsIn = (settings: Settings, sourceOf: SourceOf): Problem[] => [
  ...inTimeouts(settings, sourceOf),
  ...inTokens(settings, sourceOf),
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
        ? `${bodyTimeoutMs} is less than ${headers}, ${headersTimeoutMs}, and headers are part of the request.`
        : `${headersTimeoutMs} is more than ${body}, ${bodyTimeoutMs}, and headers are part of the request.`,
    },
  ];
}

/** Whoever scrapes would be an operator. */
function inTokens({ admin: { token, metricsToken } }: Settings, sourceOf: SourceOf): Problem[] {
  if (token === null || metricsToken?.reveal() !== token.reveal()) return [];
  const path = "admin.metrics_token";
  const message = "must differ from admin.token, which can do everything. Generate another token.";
  return [{ path, source: describeSource(sourceOf(path)), message }];
}
