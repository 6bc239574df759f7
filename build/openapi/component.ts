import { z } from "zod";
import { STORABLE } from "../../src/wire/storable.ts";
import type { JsonSchema } from "./document.ts";

/** What is said of a field beside what its schema already says. */
type Note = string | { about: string; default?: unknown; knownValues?: readonly string[] };

/** A schema with a name of its own in the description. */
export type Component = { schema: z.ZodType; about: string; fields: Record<string, Note> };

type Described<Shape extends z.ZodRawShape> = {
  schema: z.ZodType & { shape: Shape };
  about: string;
  fields: Record<keyof Shape & string, Note>;
};

/** A field that is validated and not explained, or explained and not validated, does not compile. */
export const component = <Shape extends z.ZodRawShape>(described: Described<Shape>): Component => described;

export const referenceTo = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** The schemas requests are validated with, as JSON Schema, with a reference wherever one stands in another. */
export function writeSchemas(components: Record<string, Component>): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, { schema }] of Object.entries(components)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    io: "input",
    uri: (id) => referenceTo(id).$ref ?? "",
    override: ({ jsonSchema }) => tidy(jsonSchema as JsonSchema),
  });
  return Object.fromEntries(
    Object.entries(components).map(([id, described]) => [id, describe(schemas[id] as JsonSchema, described)]),
  );
}

/**
 * Leaves out what is true of every JSON value a caller can write and what a format says already, and says in plain words that
 * extra fields are allowed.
 */
export function tidy(schema: JsonSchema): void {
  if (schema.format !== undefined || schema.pattern === STORABLE.source) delete schema.pattern;
  if (schema.allOf) tidyPatterns(schema, schema.allOf);
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  delete schema.propertyNames;
  if (schema.properties && Object.keys(schema.properties).length === 0) delete schema.properties;
  if (typeof schema.additionalProperties === "object" && Object.keys(schema.additionalProperties).length === 0)
    schema.additionalProperties = true;
}

/** Several patterns of one text stand in a list; where one is left of them, it needs none. */
function tidyPatterns(schema: JsonSchema, all: readonly JsonSchema[]): void {
  const others = all.filter(({ pattern }) => pattern !== STORABLE.source);
  delete schema.allOf;
  if (others.length === 1) Object.assign(schema, others[0]);
  else schema.allOf = others;
}

function describe(
  { $id: _id, $schema: _dialect, ...schema }: JsonSchema & { $id?: string; $schema?: string },
  { about, fields }: Component,
): JsonSchema {
  const properties = Object.entries(schema.properties ?? {}).map(([name, property]) => [
    name,
    { ...property, ...wordsOf(fields[name]) },
  ]);
  return { description: about, ...schema, properties: Object.fromEntries(properties) as Record<string, JsonSchema> };
}

function wordsOf(note: Note | undefined): JsonSchema {
  if (note === undefined) return {};
  if (typeof note === "string") return { description: note };
  return {
    description: note.about,
    ...("default" in note ? { default: note.default } : {}),
    ...(note.knownValues ? { "x-extensible-enum": [...note.knownValues] } : {}),
  };
}
