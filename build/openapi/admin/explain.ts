import type { JsonSchema } from "../document.ts";
import { FIELD_WORDS } from "./field-words.ts";

/** Gives every field without words of its own those of its name, and every field an example that it can hold. */
export function explain(schema: JsonSchema, name: string): JsonSchema {
  const { properties, items, anyOf, additionalProperties } = schema;
  return {
    ...schema,
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([field, property]) => [
              field,
              explainField(explain(property, name), { field, name }),
            ]),
          ),
        }),
    ...(items === undefined ? {} : { items: explain(items, name) }),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map((branch) => explain(branch, name)) }),
    ...(typeof additionalProperties === "object" ? { additionalProperties: explain(additionalProperties, name) } : {}),
  };
}

function explainField(property: JsonSchema, { field, name }: { field: string; name: string }): JsonSchema {
  const words = FIELD_WORDS[`${name}.${field}`] ?? FIELD_WORDS[field];
  if (words === undefined) return property;
  const hasExample = property.examples === undefined && "example" in words && holds(property, words.example);
  return {
    ...(property.description === undefined ? { description: words.about } : {}),
    ...property,
    ...(hasExample ? { examples: [words.example] } : {}),
  };
}

/** Whether a field can hold a value, as far as its type says. */
function holds(schema: JsonSchema, value: unknown): boolean {
  if (schema.anyOf !== undefined) return schema.anyOf.some((branch) => holds(branch, value));
  if (schema.enum !== undefined || schema.const !== undefined || schema.format !== undefined) return false;
  const types = [schema.type].flat();
  if (value === null) return types.includes("null");
  if (typeof value === "number")
    return types.includes("number") || (types.includes("integer") && Number.isInteger(value));
  if (Array.isArray(value)) return schema.type === "array" && value.every((item) => holds(schema.items ?? {}, item));
  if (typeof value === "object") return schema.type === "object" && schema.properties === undefined;
  return types.includes(typeof value);
}
