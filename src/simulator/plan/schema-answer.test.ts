import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { answerFitting } from "./schema-answer.ts";

const fits = new Ajv({ strict: false });

test.each([
  { type: "object", properties: { city: { type: "string" }, warm: { type: "boolean" } }, required: ["city", "warm"] },
  { type: "array", items: { type: "integer", minimum: 10 }, minItems: 3 },
  { type: "number", maximum: -2.5 },
  { enum: ["cold", "warm"] },
  { const: { a: [1] } },
  { type: ["string", "null"] },
  { anyOf: [{ type: "null" }, { type: "string" }] },
  { type: "object", properties: { a: { $ref: "#/$defs/unit" } }, required: ["a"], $defs: { unit: { enum: ["C"] } } },
])("an answer fits the schema it was asked for with: %j", (schema) => {
  const answer: unknown = JSON.parse(answerFitting(schema));

  expect(fits.validate(schema, answer), JSON.stringify(answer)).toBe(true);
});

test.each([
  [{ type: "object", properties: { next: { $ref: "#" } } }, "too much"],
  [{ type: "array", items: { type: "array", items: {} }, minItems: 10_000 }, "too much"],
  [{ $ref: "https://elsewhere/schema" }, "within it"],
  [{ $ref: "#/$defs/missing" }, "nothing at"],
  [{ type: "picture" }, "picture"],
])("a schema that cannot be answered is refused: %j", (schema, reason) => {
  expect(() => answerFitting(schema)).toThrow(reason);
});
