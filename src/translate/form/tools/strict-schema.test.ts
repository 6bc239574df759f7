import { expect, test } from "vitest";
import { isStrictSchema } from "./strict-schema.ts";

const closed = (properties: Record<string, unknown>): object => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

test.each(["allOf", "oneOf"])("a schema with %s is not one that OpenAI holds an answer to", (name) => {
  expect(isStrictSchema(closed({ a: { [name]: [closed({}), closed({})] } }))).toBe(false);
});

test.each(["not", "if", "then", "else", "dependentRequired", "dependentSchemas"])(
  "a schema with %s is not one that OpenAI holds an answer to",
  (name) => {
    expect(isStrictSchema({ ...closed({ a: { type: "string" } }), [name]: {} })).toBe(false);
  },
);

test("an object that may also be null is an object", () => {
  expect(isStrictSchema(closed({ a: { type: ["object", "null"] } }))).toBe(false);
});

test("members may be called like keywords", () => {
  expect(isStrictSchema(closed({ not: { type: "string" }, allOf: closed({ if: { type: "null" } }) }))).toBe(true);
});

test("a choice among closed objects is one that OpenAI holds an answer to", () => {
  expect(isStrictSchema(closed({ a: { anyOf: [closed({}), { type: "null" }] } }))).toBe(true);
});
