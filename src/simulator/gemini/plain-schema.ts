import { isObject } from "../../core/bytes/is-object.ts";
import type { JsonObject } from "../dialect.ts";

/** A schema in the words of OpenAPI 3.0, whose types Google writes in capitals, in those of JSON Schema. */
export function plainSchema(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]) => {
      if (name === "type") return [name, String(value).toLowerCase()];
      if (name === "properties" && isObject(value)) return [name, mapped(value)];
      if (name === "items" && isObject(value)) return [name, plainSchema(value)];
      if (name === "anyOf" && Array.isArray(value))
        return [name, value.map((each: unknown) => (isObject(each) ? plainSchema(each) : each))];
      return [name, value];
    }),
  );
}

const mapped = (properties: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [name, isObject(value) ? plainSchema(value) : value]),
  );
