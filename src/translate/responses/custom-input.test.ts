import fc from "fast-check";
import { expect, test } from "vitest";
import { createCustomInput, customInputOf } from "./custom-input.ts";

/** Pushes a text in pieces that end at these places. */
function inPieces(json: string, cuts: readonly number[]): { text: string; pieces: string[] } {
  const input = createCustomInput();
  const places = [...new Set(cuts.map((cut) => cut % (json.length + 1)))].sort((a, b) => a - b);
  const pieces = [...places, json.length].map((end, index) => input.push(json.slice(places[index - 1] ?? 0, end)));
  pieces.push(input.close());
  return { text: pieces.join(""), pieces };
}

/** Some characters as they are, some as JSON escapes of either kind, as models write them. */
const escaped = (text: string, choices: readonly boolean[]): string =>
  text
    .split("")
    .map((unit, index) => {
      const code = unit.charCodeAt(0);
      return choices[index % choices.length] || code < 0x20 || unit === '"' || unit === "\\"
        ? `\\u${code.toString(16).padStart(4, "0")}`
        : unit;
    })
    .join("");

const anyText = fc.string({ unit: "binary" }).map((text) => text.toWellFormed());
const anyCuts = fc.array(fc.nat(), { maxLength: 12 });

test("the text comes out as it was meant, however its JSON is written and wherever it is cut", () => {
  fc.assert(
    fc.property(anyText, anyCuts, fc.array(fc.boolean(), { minLength: 1 }), (text, cuts, choices) => {
      expect(inPieces(JSON.stringify({ input: text }), cuts).text).toBe(text);
      expect(inPieces(` { "input" : "${escaped(text, choices)}" }`, cuts).text).toBe(text);
    }),
  );
});

test("no piece ends within a character", () => {
  fc.assert(
    fc.property(anyText, anyCuts, (text, cuts) => {
      const { pieces } = inPieces(`{"input":"${escaped(text, [true])}"}`, cuts);

      expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
    }),
  );
});

test("whatever a model writes comes to the same in pieces as at once", () => {
  const anyJson = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.json(),
    anyText.map((text) => `{"input":"${text}`),
  );
  fc.assert(
    fc.property(anyJson, anyCuts, (json, cuts) => {
      expect(inPieces(json, cuts).text).toBe(customInputOf(json));
    }),
  );
});

test("text is given out as it comes, and not at the end", () => {
  const input = createCustomInput();

  expect(input.push('{"inp')).toBe("");
  expect(input.push('ut": "*** Begin')).toBe("*** Begin");
  expect(input.push(String.raw` Patch\n*** End\u00`)).toBe(" Patch\n*** End");
  expect(input.push(String.raw`e9 \ud83d`)).toBe("é ");
  expect(input.push(String.raw`\ude00"`)).toBe("😀");
  expect(input.push(',"more":"x"}') + input.close()).toBe("");
});

test.each([
  ['{"patch":"a\\nb"}', "a\nb"],
  ['{"note":1,"input":"a"}', "a"],
  ['"a"', "a"],
  ["{}", ""],
  ["", ""],
  ["*** Begin Patch", "*** Begin Patch"],
  ['{"a":"x","b":"y"}', '{"a":"x","b":"y"}'],
  ['{"input":{"deep":1}}', '{"input":{"deep":1}}'],
  [String.raw`{"input":"\q \uzz12 \u12`, String.raw`q \uzz12 \u12`],
])("a model that writes %s instead is taken at its word", (json, text) => {
  expect(customInputOf(json)).toBe(text);
});
