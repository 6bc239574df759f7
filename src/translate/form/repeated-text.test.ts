import fc from "fast-check";
import { expect, test } from "vitest";
import { RepeatedText } from "./repeated-text.ts";

const event = (content: string, more: object = {}): Buffer =>
  Buffer.from(`data: ${JSON.stringify({ model: "m", choices: [{ delta: { content } }], ...more })}\n\n`);

function learned(content: string, more: object = {}): RepeatedText {
  const repeated = new RepeatedText();
  repeated.learn(event(content, more), content);
  return repeated;
}

test("an event that differs from the one before in its text alone is read, in any script", () => {
  const repeated = learned("Hello");

  for (const text of [" world", "漢字 😀", "é", "}]}", ":"]) expect(repeated.textIn(event(text))).toBe(text);
});

test("of an event that differs in more, or whose text has escapes or is empty, nothing is said, nor of any after it", () => {
  for (const other of [
    event("x", { usage: null }),
    event('"'),
    event("\n"),
    event("\\"),
    event(""),
    Buffer.from("data: [DONE]\n\n"),
  ]) {
    const repeated = learned("Hello");
    expect(repeated.textIn(other)).toBeNull();
    expect(repeated.textIn(event("next"))).toBeNull();
  }
});

test("what is nothing but its surroundings, or shorter, is not read", () => {
  const repeated = learned("Hello");

  expect(repeated.textIn(event("").subarray(0, 20))).toBeNull();
});

test("an event is not learned in which another value is the same text, or which has escapes", () => {
  expect(learned("m").textIn(event("next"))).toBeNull();
  expect(learned("Hello", { note: "Hello" }).textIn(event("next", { note: "Hello" }))).toBeNull();
  expect(learned("A", { note: "\n" }).textIn(event("next", { note: "\n" }))).toBeNull();
});

test("a stream whose events all differ is not learned for ever, and one that repeats itself again is", () => {
  const repeated = new RepeatedText();
  for (let n = 0; n < 8; n++) {
    repeated.learn(event("word", { n }), "word");
    expect(repeated.textIn(event("word", { n: n + 1 }))).toBeNull();
  }
  repeated.learn(event("word"), "word");
  expect(repeated.textIn(event("next"))).toBeNull();
});

test("a number that counts the events may differ, before the text or behind it, and nothing but that number", () => {
  const counted = (n: unknown, content: string, m = 1): Buffer =>
    Buffer.from(`{"n":${String(n)},"m":${m},"content":"${content}"}`);
  const behind = (content: string, n: number): Buffer => Buffer.from(`{"content":"${content}","n":${n}}`);
  const repeated = new RepeatedText("n");
  repeated.learn(counted(9, "a"), "a");
  expect(repeated.textIn(counted(10, "next"))).toBe("next");
  expect(repeated.textIn(counted(0, "more"))).toBe("more");
  for (const other of [
    counted(11, "x", 2),
    counted("", "x"),
    counted('"1"', "x"),
    counted("01", "x"),
    counted("1.5", "x"),
    counted(-1, "x"),
  ]) {
    const again = new RepeatedText("n");
    again.learn(counted(9, "a"), "a");
    expect(again.textIn(other)).toBeNull();
  }

  const last = new RepeatedText("n");
  last.learn(behind("a", 1), "a");
  expect(last.textIn(behind("next", 200))).toBe("next");
});

test("whatever is read is what a parser reads", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (before, text) => {
      const read = learned(before).textIn(event(text));
      if (read !== null)
        expect(read).toBe(
          (JSON.parse(event(text).toString().slice(6)) as { choices: [{ delta: { content: string } }] }).choices[0]
            .delta.content,
        );
    }),
  );
});
