import { Fault } from "../core/fault.ts";
import { isObject } from "../core/is-object.ts";
import { parseExactly } from "./form/parse-exactly.ts";

/** A provider's whole answer as an object, checked for being what was asked for. */
export function readAnswer(
  bytes: Buffer,
  { kind, isOne }: { kind: string; isOne: (answer: Record<string, unknown>) => boolean },
): Record<string, unknown> {
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
