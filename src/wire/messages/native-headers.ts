import type { IncomingHttpHeaders } from "node:http";
import { allowedBetas } from "./beta-flags.ts";

/** Every version of this format there has been, oldest first. */
const VERSIONS = ["2023-06-01", "2026-10-21"] as const;
const FIRST_VERSION = VERSIONS[0];

/** The headers a provider of this format is sent on the caller's behalf, and nothing else of the caller's. [interface decision 14] */
export function nativeHeaders(
  headers: IncomingHttpHeaders,
  operatorsBetas: readonly string[] = [],
): Record<string, string> {
  const betas = allowedBetas(textOf(headers["anthropic-beta"]) ?? "", operatorsBetas);
  return { "anthropic-version": versionOf(headers), ...(betas === "" ? {} : { "anthropic-beta": betas }) };
}

/**
 * `compat-version` is the interface's own name and wins over the other. A date means the newest known version that is not after
 * it; whatever else stands there means the default, and is never refused.
 */
function versionOf(headers: IncomingHttpHeaders): string {
  const asked = textOf(headers["compat-version"]) ?? textOf(headers["anthropic-version"]) ?? "";
  return (isDate(asked) && VERSIONS.findLast((known) => known <= asked)) || FIRST_VERSION;
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  // A day that does not exist is read as one of the next month.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

function textOf(header: string | string[] | undefined): string | null {
  return typeof header === "string" ? header : null;
}
