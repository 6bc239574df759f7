import fc from "fast-check";
import { expect, test } from "vitest";
import { AnswerLimitError } from "../../core/request/answer-limit.ts";
import { PartialArgs } from "./partial-args.ts";

const assembled = (...partials: object[]): unknown => {
  const args = new PartialArgs();
  return args.add(partials) ? JSON.parse(args.text()) : null;
};

test("values come by their places, and a text in pieces", () => {
  expect(
    assembled(
      { jsonPath: "$.recipe.steps[0]", stringValue: "Preheat", willContinue: true },
      { jsonPath: "$.recipe.steps[0]", stringValue: " oven", willContinue: true },
      { jsonPath: "$.recipe.steps[0]", stringValue: "" },
      { jsonPath: "$.recipe.steps[1]", stringValue: "Bake" },
      { jsonPath: "$.recipe.minutes", numberValue: 0.5 },
      { jsonPath: "$.vegan", boolValue: false },
      { jsonPath: "$.note", nullValue: "NULL_VALUE" },
      { jsonPath: `$["a.b"]['c\\'d']`, numberValue: 1 },
    ),
  ).toEqual({
    recipe: { steps: ["Preheat oven", "Bake"], minutes: 0.5 },
    vegan: false,
    note: null,
    "a.b": { "c'd": 1 },
  });
});

test("a name is a name, whatever it means elsewhere", () => {
  const args = new PartialArgs();
  args.add([{ jsonPath: "$.__proto__.polluted", stringValue: "x" }]);
  args.add([{ jsonPath: "$.constructor", stringValue: "y" }]);

  expect(args.text()).toBe(`{"__proto__":{"polluted":"x"},"constructor":"y"}`);
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
});

test.each([
  [{ jsonPath: "location", stringValue: "x" }],
  [{ jsonPath: "$", stringValue: "x" }],
  [{ jsonPath: "$..a", stringValue: "x" }],
  [{ jsonPath: "$.a[99999]", stringValue: "x" }],
  [{ jsonPath: "$[0]", stringValue: "x" }],
  [{ jsonPath: `$${".a".repeat(65)}`, stringValue: "x" }],
  [{ stringValue: "x" }],
])("a place such as %j is none", (partial) => {
  expect(assembled(partial)).toBeNull();
});

test("a value that has been told is not a place for others", () => {
  expect(assembled({ jsonPath: "$.a", stringValue: "x" }, { jsonPath: "$.a.b", stringValue: "y" })).toBeNull();
});

test("arguments that never end are not kept for ever", () => {
  const args = new PartialArgs();
  const piece = { jsonPath: "$.a", stringValue: "x".repeat(65_536), willContinue: true };

  expect(() => {
    for (let many = 0; many < 20; many++) args.add([piece]);
  }).toThrow(AnswerLimitError);
});

/** The pieces in which Vertex tells a value, texts cut where chance has it. */
function piecesOf(value: unknown, path: string, cut: number): object[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => piecesOf(item, `${path}[${index}]`, cut));
  if (typeof value === "object" && value !== null)
    return Object.entries(value).flatMap(([name, item]) => piecesOf(item, `${path}[${JSON.stringify(name)}]`, cut));
  if (typeof value === "number") return [{ jsonPath: path, numberValue: value }];
  if (typeof value === "boolean") return [{ jsonPath: path, boolValue: value }];
  if (value === null) return [{ jsonPath: path, nullValue: "NULL_VALUE" }];
  if (typeof value !== "string") throw new Error("no value of JSON");
  const text = value;
  const at = cut % (text.length + 1);
  return [
    { jsonPath: path, stringValue: text.slice(0, at), willContinue: true },
    { jsonPath: path, stringValue: text.slice(at) },
  ];
}

const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
const name = fc.string({ minLength: 1, maxLength: 6 }).filter((text) => !/[\\"]/.test(text));
const tree = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.array(tie("value"), { minLength: 1, maxLength: 3 }),
    fc.dictionary(name, tie("value"), { minKeys: 1, maxKeys: 3 }),
  ),
})).value;

test("any arguments are what their pieces come to", () => {
  fc.assert(
    fc.property(fc.dictionary(name, tree, { minKeys: 1, maxKeys: 3 }), fc.nat(), (value, cut) => {
      expect(assembled(...piecesOf(value, "$", cut))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});
