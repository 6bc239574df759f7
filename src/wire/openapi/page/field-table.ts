import type { JsonSchema } from "../document.ts";
import { code, prose, table } from "./html.ts";

export type Schemas = Readonly<Record<string, JsonSchema>>;

/** Every field of a schema as a row, those of objects inside it by their path: `messages[].role`. */
export function fieldTable(schema: JsonSchema, schemas: Schemas): string {
  const rows = rowsOf(resolve(schema, schemas), "", schemas);
  return table(["Field", "Type", "Meaning"], rows);
}

export function resolve(schema: JsonSchema, schemas: Schemas): JsonSchema {
  const name = schema.$ref?.replace("#/components/schemas/", "");
  return name === undefined ? schema : (schemas[name] ?? {});
}

function rowsOf({ properties = {}, required = [] }: JsonSchema, prefix: string, schemas: Schemas): string[][] {
  return Object.entries(properties).flatMap(([name, property]) => {
    const path = prefix + name;
    const mark = required.includes(name) ? ' <span class="required">required</span>' : "";
    const meaning = prose(property.description ?? "");
    return [[code(path) + mark, typeOf(property, schemas), meaning], ...innerRows(property, path, schemas)];
  });
}

function innerRows(schema: JsonSchema, path: string, schemas: Schemas): string[][] {
  const { anyOf, items, ...whole } = resolve(schema, schemas);
  if (anyOf) return anyOf.flatMap((branch) => innerRows(branch, path, schemas));
  if (items) return innerRows(items, `${path}[]`, schemas);
  return rowsOf(whole, `${path}.`, schemas);
}

/** A type in words, with its bounds. */
export function typeOf(schema: JsonSchema, schemas: Schemas): string {
  const words = [wordsOf(schema, schemas, "one")];
  if ("default" in schema) words.push(`default ${code(JSON.stringify(schema.default))}`);
  return words.join(", ");
}

function wordsOf(given: JsonSchema, schemas: Schemas, number: "one" | "many"): string {
  const schema = resolve(given, schemas);
  if (schema.const !== undefined) return code(JSON.stringify(schema.const));
  if (schema.enum) return schema.enum.map((value) => code(JSON.stringify(value))).join(" or ");
  if (schema.anyOf) return schema.anyOf.map((branch) => wordsOf(branch, schemas, number)).join(" or ");
  if (Array.isArray(schema.type)) return schema.type.join(" or ") + boundsOf(schema);
  const plural = number === "many" && schema.type !== "null" ? "s" : "";
  if (schema.type === "array") {
    return `array${plural} of ${wordsOf(schema.items ?? {}, schemas, "many")}${boundsOf(schema)}`;
  }
  return `${schema.type ?? "anything"}${plural}${boundsOf(schema)}`;
}

function boundsOf({ minimum, maximum, minLength, maxLength, minItems, maxItems }: JsonSchema): string {
  const bounds = [
    boundOf(minimum, maximum, ""),
    boundOf(minLength, maxLength, "character"),
    boundOf(minItems, maxItems, "item"),
  ].filter((bound) => bound !== "");
  return bounds.length === 0 ? "" : `, ${bounds.join(", ")}`;
}

function boundOf(least: number | undefined, most: number | undefined, unit: string): string {
  const named = (count: number): string => (unit === "" ? "" : ` ${unit}${count === 1 ? "" : "s"}`);
  if (least !== undefined && most !== undefined) return `${least} to ${most}${named(most)}`;
  if (least !== undefined) return `at least ${least}${named(least)}`;
  return most === undefined ? "" : `at most ${most}${named(most)}`;
}
