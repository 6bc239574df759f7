import { Fault } from "../core/fault.ts";
import { isObject } from "../core/bytes/is-object.ts";
import { outlineOf } from "../wire/json/outline.ts";
import { parseExactly } from "./form/parse-exactly.ts";

/** Without this bound an answer of 64 MiB can take gigabytes. */
const MOST_VALUES = 4_000_000;
const WITHOUT_BOUND = Number.MAX_SAFE_INTEGER;

/** A provider's whole answer as an object, checked for being what was asked for. */
export function readAnswer(
  bytes: Buffer,
  { kind, isOne }: { kind: string; isOne: (answer: Record<string, unknown>) => boolean },
): Record<string, unknown> {
  if (outlineOf(bytes, { depth: WITHOUT_BOUND, values: MOST_VALUES }).values > MOST_VALUES)
    throw new Fault(
      "upstream_error",
      `The provider's response has more than ${MOST_VALUES.toLocaleString("en-US")} values, the limit. It is safe to retry.`,
    );
  let value: unknown;
  try {
    value = parseExactly(bytes.toString("utf8"));
  } catch (cause) {
    throw new Fault("upstream_error", "The provider's response can't be read. It is safe to retry.", { cause });
  }
  if (!isObject(value) || !isOne(value)) {
    throw new Fault("upstream_error", `The provider's response is not ${kind}. It is safe to retry.`);
  }
  return value;
}
