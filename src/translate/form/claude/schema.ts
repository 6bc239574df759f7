import { isObject } from "../../../core/bytes/is-object.ts";
import type { Json } from "../../../core/bytes/json.ts";
import { objectOf, textOf } from "../read-json.ts";

/** What Claude can be held to; `whole`: it is all that was asked. */
export type HeldSchema = { schema: Json; whole: boolean };

/**
 * A schema as Anthropic takes it, and Amazon with it. They refuse objects that are not closed and nearly all bounds on values, which
 * others take: objects are closed, and bounds are told to the model in words.
 */
export function heldSchema(given: Json): HeldSchema {
  let whole = true;

  function held(schema: unknown): unknown {
    if (!isObject(schema)) return schema;
    const said: Json = {};
    const unheld: Json = {};
    for (const [name, value] of Object.entries(schema)) {
      if (ABOUT_ITSELF.has(name) || name === "additionalProperties") continue;
      if (MAPS.has(name) && isObject(value)) said[name] = mapped(value);
      else if (LISTS.has(name) && Array.isArray(value)) said[name] = value.map(held);
      else if (name === "oneOf" && Array.isArray(value) && !("anyOf" in schema)) said["anyOf"] = value.map(held);
      else if (name === "items" && isObject(value)) said[name] = held(value);
      else if (isHeld(name, value)) said[name] = value;
      else unheld[name] = value;
    }
    if (isOfObjects(schema)) {
      said["additionalProperties"] = false;
      whole &&= (schema["additionalProperties"] ?? false) === false;
    }
    if (Object.keys(unheld).length === 0) return said;
    whole = false;
    const words = `Must keep to ${JSON.stringify(unheld)}.`;
    return {
      ...said,
      description: [textOf(said["description"]), words].filter(Boolean).join("\n\n"),
    };
  }

  const mapped = (schemas: Json): Json =>
    Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, held(schema)]));

  return { schema: objectOf(held(given)), whole };
}

const MAPS: ReadonlySet<string> = new Set(["properties", "$defs", "definitions"]);
const LISTS: ReadonlySet<string> = new Set(["anyOf", "allOf"]);
/** Says nothing of values. */
const ABOUT_ITSELF: ReadonlySet<string> = new Set(["$schema", "$id", "$comment"]);
const HELD: ReadonlySet<string> = new Set(["type", "const", "required", "description", "title", "default"]);
const FORMATS: ReadonlySet<unknown> = new Set([
  "date-time",
  "time",
  "date",
  "duration",
  "email",
  "hostname",
  "uri",
  "ipv4",
  "ipv6",
  "uuid",
]);

function isHeld(name: string, value: unknown): boolean {
  if (name === "format") return FORMATS.has(value);
  if (name === "minItems") return value === 0 || value === 1;
  if (name === "enum") return Array.isArray(value) && value.every((item) => typeof item !== "object" || item === null);
  if (name === "$ref") return typeof value === "string" && value.startsWith("#");
  return HELD.has(name);
}

const isOfObjects = ({ type, properties }: Json): boolean => [type].flat().includes("object") || isObject(properties);

/** What one request may have in its strict tools altogether; beyond any of these the whole request is refused. */
const MOST_STRICT_TOOLS = 20;
const MOST_OPTIONAL_MEMBERS = 24;
const MOST_UNIONS = 16;

/**
 * Whether Claude can hold calls of a tool to its schema, beside the other tools of the request that are to be
 * held to theirs.
 */
export function isHoldable(schema: unknown, all: readonly unknown[]): boolean {
  if (all.length > MOST_STRICT_TOOLS || !heldSchema(objectOf(schema)).whole) return false;
  const counts = { optional: 0, unions: 0 };
  for (const each of all) countIn(each, counts);
  return counts.optional <= MOST_OPTIONAL_MEMBERS && counts.unions <= MOST_UNIONS;
}

function countIn(schema: unknown, counts: { optional: number; unions: number }): void {
  if (Array.isArray(schema)) for (const each of schema) countIn(each, counts);
  if (!isObject(schema)) return;
  const { type, anyOf, oneOf, allOf, items, properties, required, $defs, definitions } = schema;
  if (Array.isArray(type) || anyOf !== undefined || oneOf !== undefined) counts.unions++;
  const members = objectOf(properties);
  const known = new Set<unknown>(Array.isArray(required) ? required : []);
  counts.optional += Object.keys(members).filter((name) => !known.has(name)).length;
  for (const inner of [members, objectOf($defs), objectOf(definitions)]) countIn(Object.values(inner), counts);
  for (const inner of [anyOf, oneOf, allOf, items]) countIn(inner, counts);
}
