import { isObject } from "../../core/is-object.ts";

/** Whether providers that hold answers to a schema to the letter take this one: every object closed, every member required. */
export function isStrictSchema(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every((item) => isStrictSchema(item));
  if (!isObject(schema)) return true;
  const { properties, required } = schema;
  if (schema["type"] === "object" || isObject(properties)) {
    const names = Object.keys(isObject(properties) ? properties : {});
    const known = new Set<unknown>(Array.isArray(required) ? required : []);
    if (schema["additionalProperties"] !== false || !names.every((name) => known.has(name))) return false;
  }
  return (
    SUBSCHEMAS.every((name) => isStrictSchema(schema[name])) &&
    SUBSCHEMA_MAPS.every((name) => valuesStrict(schema[name]))
  );
}

const SUBSCHEMAS = ["items", "anyOf", "allOf", "oneOf"] as const;
const SUBSCHEMA_MAPS = ["properties", "$defs", "definitions"] as const;

const valuesStrict = (map: unknown): boolean =>
  !isObject(map) || Object.values(map).every((schema) => isStrictSchema(schema));
