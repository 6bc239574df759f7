import { expect, test } from "vitest";
import { createRemember } from "./remember.ts";

test("a value is made once while it is kept, and the oldest makes room", () => {
  const made: string[] = [];
  const remember = createRemember<string>(2);
  const ask = (key: string) =>
    remember(key, () => {
      made.push(key);
      return key;
    });

  for (const key of ["a", "b", "a", "c", "b", "a"]) ask(key);

  expect(made).toEqual(["a", "b", "c", "a"]);
});
