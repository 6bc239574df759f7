import { expect, test } from "vitest";
import { heldSchema } from "./schema.ts";

test("what Google reads of a schema is told as it is, and holds", () => {
  const schema = {
    type: "object",
    properties: {
      city: { type: "string", description: "Where", enum: ["a", "b"] },
      days: { type: "array", items: { type: ["integer", "null"], minimum: 1 }, minItems: 1 },
      either: { anyOf: [{ type: "string" }, { $ref: "#/$defs/other" }] },
    },
    required: ["city"],
    additionalProperties: false,
    $defs: { other: { type: "number" } },
  };

  expect(heldSchema(schema)).toEqual({ schema, whole: true });
});

test("what it does not read is told to the model in words, and declared", () => {
  const { schema, whole } = heldSchema({
    type: "object",
    properties: { name: { type: "string", description: "A name.", pattern: "^a", minLength: 2 } },
  });

  expect(schema).toEqual({
    type: "object",
    properties: {
      name: { type: "string", description: `A name.\n\nMust keep to {"pattern":"^a","minLength":2}.` },
    },
  });
  expect(whole).toBe(false);
});

test("a constant is a choice of one, and what a schema says of itself is left out", () => {
  expect(heldSchema({ $schema: "x", const: "a", default: "a" })).toEqual({ schema: { enum: ["a"] }, whole: true });
  expect(heldSchema({ const: true }).whole).toBe(false);
});

test("beside a reference nothing is said, and older definitions are found where newer ones stand", () => {
  expect(heldSchema({ $ref: "#/definitions/a", description: "x", definitions: { a: { type: "string" } } })).toEqual({
    schema: { $ref: "#/$defs/a", $defs: { a: { type: "string" } } },
    whole: true,
  });
  expect(heldSchema({ properties: { a: { $ref: "#/$defs/b", minimum: 3 } } }).whole).toBe(false);
});

test("a property is a property, whatever word it is called by", () => {
  const schema = { type: "object", properties: { pattern: { type: "string" }, $ref: { type: "string" } } };

  expect(heldSchema(schema)).toEqual({ schema, whole: true });
});
