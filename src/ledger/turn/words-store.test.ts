import { expect, test } from "vitest";
import type { Queryable } from "../../db/database.ts";
import { createWords } from "./words-store.ts";

/** A dictionary that numbers words as it meets them. */
function dictionary() {
  const words: string[] = [];
  const asked: string[][] = [];
  const query = async (_sql: string, [some]: readonly unknown[]) => {
    asked.push(some as string[]);
    return (some as string[]).map((word) => {
      if (!words.includes(word)) words.push(word);
      return { word, no: words.indexOf(word) + 1 };
    });
  };
  return { asked, words: createWords({ query } as unknown as Queryable) };
}

test("words are asked for once, and no word has the number 0", async () => {
  const { asked, words } = dictionary();
  const first = await words.numbersOf(["m", "", "acme", "m"]);
  const second = await words.numbersOf(["acme", ""]);

  expect([first.of("m"), first.of("acme"), first.of(""), second.of("acme")]).toEqual([1, 2, 0, 2]);
  expect(asked).toEqual([["m", "acme"]]);
  expect(() => second.of("m")).toThrow();
});

test("what is forgotten before it is used is not lost to whoever asked for it", async () => {
  const { asked, words } = dictionary();
  await words.numbersOf(["m"]);
  const numbers = await words.numbersOf(["m"]);
  words.forget();

  expect(numbers.of("m")).toBe(1);
  await words.numbersOf(["m"]);
  expect(asked).toHaveLength(2);
});

test("a name that no column holds is kept as far as one does", async () => {
  const { asked, words } = dictionary();
  const [long, zero, half] = ["x".repeat(10_000), "a\0b", "\u{d83d}"];
  const numbers = await words.numbersOf([long, zero, half]);

  expect(asked).toEqual([["x".repeat(300), "a\u{fffd}b", "\u{fffd}"]]);
  expect([long, zero, half].map(numbers.of)).toEqual([1, 2, 3]);
});
