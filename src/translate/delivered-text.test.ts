import { expect, test } from "vitest";
import { DeliveredText } from "./delivered-text.ts";
import { NamesFound, wantNames } from "./names-found.ts";

const WANTED = wantNames(["content", "arguments"]);
const NAMES = [0, 1];
/** What is looked through stands amid other bytes, as an event does in the buffer it came in. */
function found(bytes: Buffer): NamesFound {
  const names = new NamesFound(WANTED);
  const before = Buffer.from('{"content":"before"}');
  names.search(
    Buffer.concat([before, bytes, Buffer.from('x"content":"after"')]),
    before.length,
    before.length + bytes.length,
  );
  return names;
}
const event = (delta: object): NamesFound =>
  found(Buffer.from(`data: ${JSON.stringify({ choices: [{ index: 0, delta }], usage: null })}\n\n`));

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
  delivered.addMembers(
    found(Buffer.from('{"choices":[{"delta":{"content" : "ab"}},{"delta":{"content":"cd"}}]}')),
    NAMES,
  );

  expect(delivered.text()).toBe("abcd");
});

test("a character cut in two by its escapes is whole again", () => {
  const delivered = new DeliveredText();
  for (const half of ["\\ud83d", "\\ude00"]) delivered.addMembers(found(Buffer.from(`{"content":"${half}"}`)), NAMES);

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
  delivered.addMembers(found(Buffer.from('{"content":"abc\\')), NAMES);

  expect(delivered.length).toBe(4);
});
