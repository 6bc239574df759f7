import { isObject } from "../../core/bytes/is-object.ts";
import type { Json } from "../../core/bytes/json.ts";
import { objectOf, textOf } from "../form/read-json.ts";

/**
 * A schema as a provider of this dialect takes it. It takes JSON Schema and reads some of its words; the others are told to the
 * model in a description. Beside a reference it takes nothing else. `whole`: the answer is held to all that was asked.
 */
export function heldSchema(given: Json): { schema: Json; whole: boolean } {
  let whole = true;

  function held(schema: unknown): unknown {
    if (!isObject(schema)) return schema;
    if (typeof schema["$ref"] === "string") return referred(schema);
    const said: Json = {};
    const unheld: Json = {};
    for (const [name, value] of Object.entries(schema)) {
      if (ABOUT_ITSELF.has(name)) continue;
      if (MAPS.has(name) && isObject(value)) said[name === "definitions" ? "$defs" : name] = mapped(value);
      else if (LISTS.has(name) && Array.isArray(value)) said[name] = value.map(held);
      else if (SCHEMAS.has(name)) said[name] = held(value);
      else if (name === "const" && isNamed(value)) said["enum"] = [value];
      else if (WORDS.has(name) || (name === "enum" && Array.isArray(value) && value.every(isNamed))) said[name] = value;
      else unheld[name] = value;
    }
    if (Object.keys(unheld).length === 0) return said;
    whole = false;
    const words = `Must keep to ${JSON.stringify(unheld)}.`;
    return { ...said, description: [textOf(said["description"]), words].filter(Boolean).join("\n\n") };
  }

  /** What stands beside a reference is said of the place alone, and is mostly a description of it. */
  function referred(schema: Json): Json {
    whole &&= Object.keys(schema).every((name) => name.startsWith("$") || BESIDE_REFERENCES.has(name));
    const { $ref, $defs, definitions } = schema;
    return {
      $ref: textOf($ref).replace(/^#\/definitions\//, "#/$defs/"),
      ...(isObject($defs ?? definitions) ? { $defs: mapped(objectOf($defs ?? definitions)) } : {}),
    };
  }

  const mapped = (schemas: Json): Json =>
    Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, held(schema)]));

  return { schema: objectOf(held(given)), whole };
}

/** What says nothing of the value. */
const ABOUT_ITSELF: ReadonlySet<string> = new Set([
  "$schema",
  "$comment",
  "default",
  "example",
  "examples",
  "deprecated",
  "readOnly",
  "writeOnly",
]);
const BESIDE_REFERENCES: ReadonlySet<string> = new Set([...ABOUT_ITSELF, "title", "description", "definitions"]);
const MAPS: ReadonlySet<string> = new Set(["properties", "$defs", "definitions"]);
const LISTS: ReadonlySet<string> = new Set(["anyOf", "oneOf", "prefixItems"]);
const SCHEMAS: ReadonlySet<string> = new Set(["items", "additionalProperties"]);
const WORDS: ReadonlySet<string> = new Set([
  "$id",
  "$anchor",
  "type",
  "format",
  "title",
  "description",
  "minItems",
  "maxItems",
  "minimum",
  "maximum",
  "required",
]);

const isNamed = (value: unknown): boolean => typeof value === "string" || typeof value === "number";
