import type { JsonSchema } from "../document.ts";

type Reading = {
  schemas: Readonly<Record<string, JsonSchema>>;
  /** A request shows what must be sent and what has an example, an answer shows every field. */
  side: "request" | "answer";
};

/** Stands where a schema has no example and needs one. */
export const NO_EXAMPLE = "?";

const BY_FORMAT: Record<string, string> = {
  "date-time": "2026-12-01T09:30:00.000Z",
  date: "2026-12-01",
  uuid: "0199d2f4-6b3a-7c51-8e0d-5a9f3c7b1e42",
};

/** An example put together from those of the parts; an example of a whole wins over those of its parts. */
export function exampleOf(schema: JsonSchema, reading: Reading): unknown {
  const { $ref, examples, anyOf, items, properties, ...rest } = schema;
  if (examples !== undefined) return examples[0];
  if ($ref !== undefined) return exampleOf(reading.schemas[$ref.replace("#/components/schemas/", "")] ?? {}, reading);
  if (anyOf !== undefined) return exampleOfUnion(anyOf, reading);
  if (items !== undefined) return [exampleOf(items, reading)];
  if (properties !== undefined) return exampleOfObject(schema, reading);
  return exampleOfScalar(rest);
}

/** What may be null is null unless something is said of it. */
function exampleOfUnion(branches: readonly JsonSchema[], reading: Reading): unknown {
  const [first = {}] = branches;
  const isNullable = branches.some(({ type }) => type === "null");
  return isNullable && first.$ref === undefined && first.examples === undefined ? null : exampleOf(first, reading);
}

function exampleOfObject({ properties = {}, required = [] }: JsonSchema, reading: Reading): unknown {
  const shown = Object.entries(properties).filter(
    ([name, { examples }]) => reading.side === "answer" || required.includes(name) || examples !== undefined,
  );
  return Object.fromEntries(shown.map(([name, property]) => [name, exampleOf(property, reading)]));
}

function exampleOfScalar(schema: JsonSchema): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (Array.isArray(schema.type) && schema.type.includes("null")) return null;
  if (schema.type === "boolean") return true;
  if (schema.type === "integer" || schema.type === "number") return schema.minimum ?? 1;
  if (schema.type === "object") return {};
  return BY_FORMAT[schema.format ?? ""] ?? NO_EXAMPLE;
}
