import { isObject } from "../../core/bytes/is-object.ts";
import type { CallConvention } from "../call-convention.ts";

/** How long to wait is told in the body alone. */
export const geminiRefusal: NonNullable<CallConvention["refusal"]> = ({ status, headers }, body) => {
  const details = detailsIn(body);
  const waitMs = details.map(({ retryDelay }) => millisecondsOf(retryDelay)).find((ms) => ms !== null) ?? null;
  return { status, headers: waitMs === null ? headers : { ...headers, "retry-after-ms": String(waitMs) } };
};

function detailsIn(body: Buffer): Record<string, unknown>[] {
  try {
    const value: unknown = JSON.parse(body.toString("utf8"));
    const error = isObject(value) ? value["error"] : null;
    const details = isObject(error) ? error["details"] : null;
    return Array.isArray(details) ? details.filter((detail) => isObject(detail)) : [];
  } catch {
    return [];
  }
}

/** `34.4s` */
function millisecondsOf(delay: unknown): number | null {
  const match = typeof delay === "string" ? /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(delay) : null;
  return match === null ? null : Math.ceil(Number(match[1]) * 1_000);
}
