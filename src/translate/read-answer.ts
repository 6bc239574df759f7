import { Fault } from "../core/fault.ts";
import { isObject } from "../core/is-object.ts";
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
      `The provider's answer holds more than ${MOST_VALUES} values. Trying again is safe.`,
    );
  let value: unknown;
  try {
    value = parseExactly(bytes.toString("utf8"));
  } catch (cause) {
    throw new Fault("upstream_error", "The provider's answer could not be read. Trying again is safe.", { cause });
  }
  if (!isObject(value) || !isOne(value)) {
    throw new Fault("upstream_error", `The provider's answer was not a ${kind}. Trying again is safe.`);
  }
  return value;
}
