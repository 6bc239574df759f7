import { expect, test } from "vitest";
import { cross } from "../../../../tests/support/cross.ts";
import type { ClientDialect } from "../../../core/request/dialect.ts";
import { lossesOf } from "../../fidelity/losses.ts";

type Json = Record<string, unknown>;
const lost = (client: ClientDialect, body: Json): string[] =>
  lossesOf(client, "messages", body).dropped.map(({ path }) => path);

const format = (schema: Json): Json => ({
  response_format: { type: "json_schema", json_schema: { name: "answer", schema } },
});
const sentSchema = (schema: Json): unknown => {
  const { output_config: config } = cross("chat", "messages").sent(format(schema));
  return (config as { format: { schema: unknown } }).format.schema;
};

test("objects that a chat caller leaves open are closed for a messages provider, which takes no others", () => {
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: { at: { $ref: "#/$defs/place" }, list: { type: "array", items: { type: "object", properties: {} } } },
    $defs: { place: { type: ["object", "null"], properties: { city: { type: "string" } }, required: ["city"] } },
  };

  expect(sentSchema(schema)).toEqual({
    type: "object",
    properties: {
      at: { $ref: "#/$defs/place" },
      list: { type: "array", items: { type: "object", properties: {}, additionalProperties: false } },
    },
    $defs: {
      place: {
        type: ["object", "null"],
        properties: { city: { type: "string" } },
        required: ["city"],
        additionalProperties: false,
      },
    },
    additionalProperties: false,
  });
  expect(lost("chat", format(schema))).toEqual([]);
});

test("bounds that a messages provider does not hold an answer to are told to the model, and declared", () => {
  const schema = {
    type: "object",
    properties: {
      age: { type: "integer", description: "In years.", minimum: 0, maximum: 150 },
      tags: { type: "array", items: { type: "string" }, minItems: 1, maxItems: 3 },
      when: { type: "string", format: "date" },
      colour: { type: "string", format: "colour" },
      either: { oneOf: [{ type: "string" }, { type: "null" }] },
    },
    additionalProperties: false,
  };

  expect(sentSchema(schema)).toEqual({
    type: "object",
    properties: {
      age: { type: "integer", description: 'In years.\n\nMust keep to {"minimum":0,"maximum":150}.' },
      tags: { type: "array", items: { type: "string" }, minItems: 1, description: 'Must keep to {"maxItems":3}.' },
      when: { type: "string", format: "date" },
      colour: { type: "string", description: 'Must keep to {"format":"colour"}.' },
      either: { anyOf: [{ type: "string" }, { type: "null" }] },
    },
    additionalProperties: false,
  });
  expect(lost("chat", format(schema))).toEqual(["response_format.json_schema.schema"]);
  expect(lost("responses", { text: { format: { type: "json_schema", schema } } })).toEqual(["text.format.schema"]);
});

test("a member that is called like a keyword is a member", () => {
  const properties = { minimum: { type: "integer" }, format: { type: "string" }, $schema: { type: "string" } };

  expect(sentSchema({ type: "object", properties, additionalProperties: false })).toMatchObject({ properties });
});

test("what is said to be open on purpose is closed, and that is declared", () => {
  const schema = { type: "object", properties: {}, additionalProperties: { type: "string" } };

  expect(sentSchema(schema)).toEqual({ type: "object", properties: {}, additionalProperties: false });
  expect(lost("chat", format(schema))).toEqual(["response_format.json_schema.schema"]);
});

const tool = (name: string, city: Json): Json => ({
  type: "function",
  function: {
    name,
    strict: true,
    parameters: { type: "object", properties: { city }, required: ["city"], additionalProperties: false },
  },
});
const strictness = (tools: Json[]): unknown[] => {
  const sent = cross("chat", "messages").sent({ tools })["tools"] as Json[];
  return sent.map(({ strict }) => strict);
};

test("a strict tool stays strict at a messages provider that can hold it to its schema", () => {
  const tools = [tool("a", { type: "string" }), tool("b", { type: "string", maxLength: 9 })];

  expect(strictness(tools)).toEqual([true, undefined]);
  expect(lost("chat", { tools })).toEqual(["tools.*.function.strict"]);
  expect(lost("chat", { tools: tools.slice(0, 1) })).toEqual([]);
});

test.each([
  ["tools", 20, { type: "string" }],
  ["unions", 16, { type: ["string", "null"] }],
] as const)("no tool is strict when a messages provider takes no so many strict %s", (_, most, city) => {
  const tools = Array.from({ length: most + 1 }, (__, index) => tool(`f${index}`, { ...city }));
  const flat = tools.map((offered) => ({ type: "function", ...(offered["function"] as Json) }));

  expect(strictness(tools)).toEqual(tools.map(() => undefined));
  expect(lost("chat", { tools })).toEqual(["tools.*.function.strict"]);
  expect(lost("responses", { tools: flat })).toEqual(["tools.*.strict"]);
  expect(strictness(tools.slice(0, most))).toEqual(tools.slice(0, most).map(() => true));
  expect(lost("chat", { tools: tools.slice(0, most) })).toEqual([]);
});
