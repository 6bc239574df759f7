import { expect, test } from "vitest";
import { createWaitingLine } from "./waiting-line.ts";

const taken = (line: { next: () => string | null }): string[] => {
  const items: string[] = [];
  for (let item = line.next(); item !== null; item = line.next()) items.push(item);
  return items;
};

test("one who has much to do does not keep others waiting", () => {
  const line = createWaitingLine<string>({ inAll: 10, ofOne: 10 });

  for (const item of ["a1", "a2", "a3"]) line.add("a", item);
  line.add("b", "b1");
  line.add("c", "c1");
  line.add("b", "b2");

  expect(taken(line)).toEqual(["a1", "b1", "c1", "a2", "b2", "a3"]);
});

test("one alone cannot fill the line, and all together cannot overfill it", () => {
  const line = createWaitingLine<string>({ inAll: 3, ofOne: 2 });

  expect([line.add("a", "a1"), line.add("a", "a2"), line.add("a", "a3")]).toEqual([true, true, false]);
  expect([line.add("b", "b1"), line.add("c", "c1")]).toEqual([true, false]);

  expect(line.next()).toBe("a1");
  expect(line.add("c", "c1")).toBe(true);
  expect(taken(line)).toEqual(["b1", "a2", "c1"]);
});

test("what is owed is taken however many wait", () => {
  const line = createWaitingLine<string>({ inAll: 1, ofOne: 1 });

  expect([line.add("a", "a1"), line.add("a", "a2", "owed")]).toEqual([true, true]);
  expect(taken(line)).toEqual(["a1", "a2"]);
});
