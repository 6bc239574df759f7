import { expect, test } from "vitest";
import { givenContent, sizedContent, toolContent, wordContent } from "./content.ts";

test("the text of a generation follows from its length alone", () => {
  expect(wordContent.text(5)).toBe("amber harbor ocean valley delta");
  expect(wordContent.text(5)).toBe([0, 1, 2, 3, 4].map(wordContent.piece).join(""));
});

test("sized text has exactly the bytes asked for, however they are cut into tokens", () => {
  for (const [bytes, tokens] of [
    [0, 3],
    [1, 3],
    [600, 40],
    [100_000, 7],
  ] as const) {
    expect(Buffer.byteLength(sizedContent(bytes, tokens).text(tokens))).toBe(bytes);
  }
});

test("tool arguments are whole JSON after their last token and not before", () => {
  for (const tokens of [1, 2, 3, 9]) {
    const content = toolContent(tokens);
    expect(JSON.parse(content.text(tokens))).toBeTypeOf("object");
    for (let cut = 1; cut < tokens; cut += 1) expect(() => JSON.parse(content.text(cut))).toThrow();
  }
});

test("a given text comes out as it went in, however many tokens it is spread over", () => {
  for (const tokens of [1, 3, 50]) expect(givenContent('{"a":"🦊"}', tokens).text(tokens)).toBe('{"a":"🦊"}');
});

test("an escaped piece stands for the piece between the quotes of a JSON string", () => {
  for (const content of [toolContent(4), givenContent('{"path":"C:\\\\naïve 🦊"}', 4)])
    for (let index = 0; index < 4; index += 1) {
      expect(JSON.parse(`"${content.escapedPiece(index)}"`)).toBe(content.piece(index));
    }
});
