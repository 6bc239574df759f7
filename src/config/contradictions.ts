import type { Problem } from "./config-error.ts";
import { describeSource, type SettingSource } from "./source.ts";

type Settings = { limits: { headersTimeoutMs: number; bodyTimeoutMs: number } };

/** Settings that are sound by themselves and cannot hold together. The one that was set is named, since defaults agree. */
export function contradictionsIn({ limits }: Settings, sourceOf: (path: string) => SettingSource): Problem[] {
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
