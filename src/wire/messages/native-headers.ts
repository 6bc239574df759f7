import type { IncomingHttpHeaders } from "node:http";
import { Fault } from "../../core/fault.ts";
import { allowedBetas } from "./beta-flags.ts";

/** Every version of this format there has been, oldest first. */
const VERSIONS = ["2023-06-01", "2026-10-21"] as const;
const FIRST_VERSION = VERSIONS[0];

/** The headers a provider of this format is sent on the caller's behalf, and nothing else of the caller's. [decision 14] */
export function nativeHeaders(
  headers: IncomingHttpHeaders,
  operatorsBetas: readonly string[] = [],
): Record<string, string> {
  const betas = allowedBetas(textOf(headers["anthropic-beta"]) ?? "", operatorsBetas);
  return { "anthropic-version": versionOf(headers), ...(betas === "" ? {} : { "anthropic-beta": betas }) };
}

/** `compat-version` and `anthropic-version` are two names of one header. */
function versionOf(headers: IncomingHttpHeaders): string {
  const compat = textOf(headers["compat-version"]);
  const native = textOf(headers["anthropic-version"]);
  if (compat !== null && native !== null && compat !== native) {
    throw refusal("compat-version and anthropic-version are one header under two names; send one of them.");
  }
  const asked = compat ?? native;
  if (asked === null) return FIRST_VERSION;
  if (!isDate(asked)) throw refusal("compat-version: Input should be a date, such as 2023-06-01");
  const version = VERSIONS.findLast((known) => known <= asked);
  if (version === undefined) throw refusal(`compat-version: Input should be ${FIRST_VERSION} or later`);
  return version;
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

const refusal = (message: string): Fault => new Fault("invalid_request", message, { param: "compat-version" });
