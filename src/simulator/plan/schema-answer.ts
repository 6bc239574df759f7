import { isObject } from "../../core/bytes/is-object.ts";
import type { JsonObject } from "../dialect.ts";
import { invalid } from "../ask/refusal.ts";

/** Schemas that need more than this to be answered are refused: they refer to themselves, or want to be large. */
const MOST_VALUES = 1000;

type Search = { root: JsonObject; values: number };

/** JSON text that fits a schema. Knows what structured output is asked for with, and refuses the rest by name. */
export function answerFitting(schema: JsonObject): string {
  return JSON.stringify(valueOf(schema, { root: schema, values: 0 }));
}

function valueOf(given: unknown, search: Search): unknown {
  search.values += 1;
  if (search.values > MOST_VALUES) throw invalid("Invalid schema: it asks for too much.");
  const schema = isObject(given) ? given : {};
  const { $ref, const: fixed, enum: choices, anyOf } = schema;
  if (typeof $ref === "string") return valueOf(referred($ref, search.root), search);
  if (fixed !== undefined) return fixed;
  if (Array.isArray(choices)) return choices[0];
  if (Array.isArray(anyOf)) return valueOf(anyOf[0], search);
  return typedValue(schema, search);
}

function typedValue(schema: JsonObject, search: Search): unknown {
  const type = Array.isArray(schema["type"]) ? (schema["type"][0] as unknown) : schema["type"];
  switch (type ?? "object") {
    case "object":
      return Object.fromEntries(
        Object.entries(isObject(schema["properties"]) ? schema["properties"] : {}).map(([name, member]) => [
          name,
          valueOf(member, search),
        ]),
      );
    case "array":
      return Array.from({ length: numberOf(schema["minItems"], 2) }, () => valueOf(schema["items"], search));
    case "string":
      return "amber harbor";
    case "integer":
    case "number":
      return Math.min(numberOf(schema["maximum"], Infinity), Math.max(numberOf(schema["minimum"], -Infinity), 7));
    case "boolean":
      return true;
    case "null":
      return null;
    default:
      throw invalid(`Invalid schema: ${JSON.stringify(type).slice(0, 64)} is not a type that is known here.`);
  }
}

function referred(pointer: string, root: JsonObject): unknown {
  if (!pointer.startsWith("#")) throw invalid("Invalid schema: only references within it are followed.");
  let at: unknown = root;
  for (const step of pointer.split("/").slice(1)) {
    at = isObject(at) && Object.hasOwn(at, step) ? at[step] : undefined;
  }
  if (!isObject(at)) throw invalid(`Invalid schema: there is nothing at ${JSON.stringify(pointer.slice(0, 64))}.`);
  return at;
}

const numberOf = (value: unknown, otherwise: number): number => (typeof value === "number" ? value : otherwise);
