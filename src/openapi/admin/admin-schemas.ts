import { z } from "zod";
import { tidy } from "../component.ts";
import type { JsonSchema } from "../document.ts";
import type { AdminOperation } from "./admin-operation.ts";

/** The schemas of all bodies by the names under which the description has them. */
export type AdminSchemas = {
  schemas: Record<string, JsonSchema>;
  nameOf: (schema: z.ZodType) => string;
};

const PLACE = "#/components/schemas/";

/** Where zod keeps what has a name of its own and stands inside other schemas. */
const SHARED = "__shared";

/**
 * A body is named by its schema's own id, else after the first operation that has it. Inside it, whatever has an id is a
 * reference.
 */
export function writeAdminSchemas(operations: readonly AdminOperation[]): AdminSchemas {
  const names = new Map<z.ZodType, string>();
  for (const { id, body, answers, media } of operations) {
    if (body !== null) nameFirst(names, body, `${pascal(id)}Request`);
    if (media !== "application/json") continue;
    for (const answer of Object.values(answers)) nameFirst(names, answer, `${pascal(id)}Answer`);
  }
  return { schemas: convert(names), nameOf: (schema) => names.get(schema) ?? "" };
}

function nameFirst(names: Map<z.ZodType, string>, schema: z.ZodType, fallback: string): void {
  if (names.has(schema)) return;
  const name = z.globalRegistry.get(schema)?.id ?? fallback;
  const taken = [...names.values()].filter((other) => other.startsWith(name)).length;
  names.set(schema, taken === 0 || name !== fallback ? name : `${name}${taken + 1}`);
}

function convert(names: ReadonlyMap<z.ZodType, string>): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [schema, id] of names) registry.add(schema, { id });
  const written = z.toJSONSchema(registry, {
    io: "input",
    uri: (id) => `${PLACE}${id}`,
    override: ({ jsonSchema }) => tidy(jsonSchema as JsonSchema),
  });
  const { [SHARED]: shared, ...bodies } = written.schemas as Record<string, WrittenSchema>;
  const all = Object.entries({ ...bodies, ...shared?.$defs });
  const named = all.toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([name, schema]) => [name, clean(schema)]);
  return JSON.parse(JSON.stringify(Object.fromEntries(named)).replaceAll(`${PLACE}${SHARED}#/$defs/`, PLACE)) as Record<
    string,
    JsonSchema
  >;
}

type WrittenSchema = JsonSchema & {
  $id?: string;
  $schema?: string;
  id?: string;
  $defs?: Record<string, WrittenSchema>;
};

const clean = ({ $id: _id, $schema: _dialect, id: _name, description, ...schema }: WrittenSchema): JsonSchema =>
  description === undefined ? schema : { description, ...schema };

/** A schema that stands where it is used: of parameters, and of text. */
export const writeSchema = (schema: z.ZodType): JsonSchema =>
  clean(
    z.toJSONSchema(schema, {
      io: "input",
      override: ({ jsonSchema }) => tidy(jsonSchema as JsonSchema),
    }) as WrittenSchema,
  );

export const pascal = (text: string): string =>
  text.replaceAll(/(?:^|_)(\w)/g, (_whole, letter: string) => letter.toUpperCase());
