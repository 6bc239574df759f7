import { expect, test } from "vitest";
import { DeliveredText } from "./delivered-text.ts";

test("text is kept in order, escapes and all scripts included", () => {
  const delivered = new DeliveredText();
  const words = ['say "hi"', "\\ and \n", "漢字 😀", "", "é"];
  for (const text of words) delivered.addText(text);

  expect(delivered.text()).toBe(words.join(""));
  expect(delivered.scale()).toBe(1);
});

test("a text that stands in bytes is kept as it stands there", () => {
  const delivered = new DeliveredText();
  const bytes = Buffer.from('{"content":"ab\\ncd"}');
  delivered.addRange(bytes, 12, 18);

  expect(delivered.text()).toBe("ab\ncd");
});

test("a character cut in two by its escapes is whole again", () => {
  const delivered = new DeliveredText();
  for (const half of ["\ud83d", "\ude00"]) delivered.addText(half);

  expect(delivered.text()).toBe("😀");
});

test("of a long text a part is kept that is like all of it, wherever it changes", () => {
  const parts = [" ".repeat(1_048_576), "dense\u0001".repeat(100_000), " ".repeat(300_000), "x".repeat(65_536)];
  for (const order of [parts, parts.toReversed()]) {
    const delivered = new DeliveredText();
    for (const text of order)
      for (let at = 0; at < text.length; at += 1_000) delivered.addText(text.slice(at, at + 1_000));
    const blanks = delivered.text().split(" ").length - 1;

    expect(delivered.text().length).toBeLessThanOrEqual(262_144);
    expect((blanks * delivered.scale()) / 1_348_576).toBeGreaterThan(0.9);
    expect((blanks * delivered.scale()) / 1_348_576).toBeLessThan(1.1);
  }
});

test("what came after a provider last counted more is known", () => {
  const delivered = new DeliveredText();
  expect(delivered.shareSinceTold()).toBe(0);
  delivered.addText("abcd");
  delivered.told(1);
  expect(delivered.shareSinceTold()).toBe(0);
  delivered.addText("efgh");
  delivered.told(1);
  expect(delivered.shareSinceTold()).toBe(0.5);
  delivered.told(2);
  expect(delivered.shareSinceTold()).toBe(0);
});
