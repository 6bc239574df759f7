import type { JsonSchema } from "../document.ts";
import { code, prose, table } from "./html.ts";

export type Schemas = Readonly<Record<string, JsonSchema>>;

type Reading = {
  schemas: Schemas;
  /** Of a request it matters what must be there, of an answer what may be missing. */
  side: "request" | "answer";
};
type Place = Reading & { path: string };

/** Every field of a schema as a row, those of objects inside it by their path: `messages[].role`. */
export function fieldTable(schema: JsonSchema, reading: Reading): string {
  return table(["Field", "Type", "Meaning"], rowsOf(resolve(schema, reading.schemas), { ...reading, path: "" }));
}

function resolve(schema: JsonSchema, schemas: Schemas): JsonSchema {
  const name = schema.$ref?.replace("#/components/schemas/", "");
  return name === undefined ? schema : (schemas[name] ?? {});
}

function rowsOf({ properties = {}, required = [] }: JsonSchema, place: Place): string[][] {
  return Object.entries(properties).flatMap(([name, property]) => {
    const path = place.path + name;
    const mark = required.includes(name) ? REQUIRED[place.side] : OPTIONAL[place.side];
    const row = [code(path) + mark, typeOf(property, place.schemas), prose(property.description ?? "")];
    return [row, ...innerRows(property, { ...place, path })];
  });
}

const REQUIRED = { request: ' <span class="required">required</span>', answer: "" };
const OPTIONAL = { request: "", answer: ' <span class="optional">optional</span>' };

function innerRows(schema: JsonSchema, place: Place): string[][] {
  const { anyOf, items, ...whole } = resolve(schema, place.schemas);
  if (anyOf) return anyOf.flatMap((branch) => innerRows(branch, place));
  if (items) return innerRows(items, { ...place, path: `${place.path}[]` });
  return rowsOf(whole, { ...place, path: `${place.path}.` });
}

/** A type in words, with its bounds. */
export function typeOf(schema: JsonSchema, schemas: Schemas): string {
  const words = [wordsOf(schema, { schemas, number: "one" })];
  if ("default" in schema) words.push(`default ${code(JSON.stringify(schema.default))}`);
  return words.join(", ");
}

type Grammar = { schemas: Schemas; number: "one" | "many" };

function wordsOf(given: JsonSchema, grammar: Grammar): string {
  const { schemas, number } = grammar;
  const schema = resolve(given, schemas);
  if (schema.const !== undefined) return code(JSON.stringify(schema.const));
  if (schema.enum) return schema.enum.map((value) => code(JSON.stringify(value))).join(" or ");
  if (schema.anyOf) return schema.anyOf.map((branch) => wordsOf(branch, grammar)).join(" or ");
  if (Array.isArray(schema.type)) return schema.type.join(" or ") + boundsOf(schema);
  const plural = number === "many" && schema.type !== "null" ? "s" : "";
  if (schema.type === "array") {
    return `array${plural} of ${wordsOf(schema.items ?? {}, { schemas, number: "many" })}${boundsOf(schema)}`;
  }
  return `${schema.type ?? "any type"}${plural}${boundsOf(schema)}`;
}

function boundsOf({ minimum, maximum, minLength, maxLength, minItems, maxItems }: JsonSchema): string {
  const bounds = [
    boundOf([minimum, maximum], ""),
    boundOf([minLength, maxLength], "character"),
    boundOf([minItems, maxItems], "item"),
  ].filter((bound) => bound !== "");
  return bounds.length === 0 ? "" : `, ${bounds.join(", ")}`;
}

function boundOf([least, most]: [least?: number | undefined, most?: number | undefined], unit: string): string {
  const named = (count: number): string => (unit === "" ? "" : ` ${unit}${count === 1 ? "" : "s"}`);
  if (least !== undefined && most !== undefined) return `${least} to ${most}${named(most)}`;
  if (least !== undefined) return `at least ${least}${named(least)}`;
  return most === undefined ? "" : `at most ${most}${named(most)}`;
}
