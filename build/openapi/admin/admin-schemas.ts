import { z } from "zod";
import { tidy } from "../component.ts";
import type { JsonSchema } from "../document.ts";
import type { AdminOperation } from "./admin-operation.ts";
import { explain } from "./explain.ts";
import { SCHEMA_WORDS } from "./schema-words.ts";

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
    if (body !== null) nameOnce(names, body, `${pascal(id)}Request`);
    if (media !== "application/json") continue;
    const isAlone = new Set(Object.values(answers)).size === 1;
    for (const [status, answer] of Object.entries(answers))
      nameOnce(names, answer, `${pascal(id)}${isAlone ? "" : status}Response`);
  }
  return { schemas: convert(names), nameOf: (schema) => names.get(asWritten(schema)) ?? "" };
}

function nameOnce(names: Map<z.ZodType, string>, schema: z.ZodType, fallback: string): void {
  const written = asWritten(schema);
  if (!names.has(written)) names.set(written, z.globalRegistry.get(written)?.id ?? fallback);
}

/** What becomes of a body once it is read is nobody's concern outside. */
const asWritten = (schema: z.ZodType): z.ZodType =>
  schema instanceof z.ZodPipe ? asWritten(schema.in as z.ZodType) : schema;

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
  const named = all
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, schema]) => [name, explain({ description: wordsOf(name), ...clean(schema) }, name)]);
  return JSON.parse(JSON.stringify(Object.fromEntries(named)).replaceAll(`${PLACE}${SHARED}#/$defs/`, PLACE)) as Record<
    string,
    JsonSchema
  >;
}

/** A body that one operation alone has is explained by that operation. */
const wordsOf = (name: string): string => {
  const [, operation = "", side] = /^(.*?)(?:\d{3})?(Request|Response)$/.exec(name) ?? [];
  const id = operation.charAt(0).toLowerCase() + operation.slice(1);
  return SCHEMA_WORDS[name] ?? (side === "Request" ? `Request body of \`${id}\`.` : `Response of \`${id}\`.`);
};

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
