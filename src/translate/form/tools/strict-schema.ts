import { isObject } from "../../../core/bytes/is-object.ts";

/**
 * Whether OpenAI, which holds answers to a schema to the letter, takes this one: every object closed, every member required, and
 * of the ways to put schemas together `anyOf` alone. One that it does not take makes it refuse the request.
 */
export function isStrictSchema(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every((item) => isStrictSchema(item));
  if (!isObject(schema)) return true;
  if (UNTAKEN.some((name) => name in schema)) return false;
  const { properties, required } = schema;
  if ([schema["type"]].flat().includes("object") || isObject(properties)) {
    const names = Object.keys(isObject(properties) ? properties : {});
    const known = new Set<unknown>(Array.isArray(required) ? required : []);
    if (schema["additionalProperties"] !== false || !names.every((name) => known.has(name))) return false;
  }
  return (
    SUBSCHEMAS.every((name) => isStrictSchema(schema[name])) &&
    SUBSCHEMA_MAPS.every((name) => valuesStrict(schema[name]))
  );
}

const UNTAKEN = ["allOf", "oneOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas"] as const;
const SUBSCHEMAS = ["items", "anyOf"] as const;
const SUBSCHEMA_MAPS = ["properties", "$defs", "definitions"] as const;

const valuesStrict = (map: unknown): boolean =>
  !isObject(map) || Object.values(map).every((schema) => isStrictSchema(schema));
