import { expect, test } from "vitest";
import { DeliveredText } from "./delivered-text.ts";

const NAMES = [Buffer.from('"content"'), Buffer.from('"arguments"')];
const event = (delta: object): Buffer =>
  Buffer.from(`data: ${JSON.stringify({ choices: [{ index: 0, delta }], usage: null })}\n\n`);

test("the text of the deltas is kept in order, escapes and all scripts included", () => {
  const delivered = new DeliveredText();
  const words = ['say "hi"', "\\ and \n", "漢字 😀", "", "é"];
  for (const content of words) delivered.addMembers(event({ content }), NAMES);

  expect(delivered.text()).toBe(words.join(""));
  expect(delivered.scale()).toBe(1);
});

test("a delta without the first member is looked through for the next", () => {
  const delivered = new DeliveredText();
  delivered.addMembers(event({ content: null, tool_calls: [{ function: { arguments: '{"a":' } }] }), NAMES);
  delivered.addMembers(event({ tool_calls: [{ function: { arguments: "1}" } }] }), NAMES);

  expect(delivered.text()).toBe('{"a":1}');
});

test("several choices in one event are all counted, and spaces around the colon do not hide one", () => {
  const delivered = new DeliveredText();
  delivered.addMembers(Buffer.from('{"choices":[{"delta":{"content" : "ab"}},{"delta":{"content":"cd"}}]}'), NAMES);

  expect(delivered.text()).toBe("abcd");
});

test("a character cut in two by its escapes is whole again", () => {
  const delivered = new DeliveredText();
  for (const half of ["\\ud83d", "\\ude00"]) delivered.addMembers(Buffer.from(`{"content":"${half}"}`), NAMES);

  expect(delivered.text()).toBe("😀");
});

test("text past the bound is counted and not kept", () => {
  const delivered = new DeliveredText();
  for (let n = 0; n < 40; n++) delivered.addText("x".repeat(65_536));

  expect(delivered.length).toBe(40 * 65_536);
  expect(delivered.text().length).toBeLessThanOrEqual(1_048_576);
  expect(delivered.scale()).toBe(2.5);
});

test("a text that never ends is taken to the end of the event", () => {
  const delivered = new DeliveredText();
  delivered.addMembers(Buffer.from('{"content":"abc\\'), NAMES);

  expect(delivered.length).toBe(4);
});
