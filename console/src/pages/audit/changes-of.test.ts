import { expect, test } from "vitest";
import { changesOf } from "./changes-of.ts";

test("a field is changed where its value is, at any depth, and null is as good as absent", () => {
  const before = { status: "active", limits: { rpm: 5 }, label: null, gone: "x" };
  const after = { status: "suspended", limits: { rpm: 5 }, fresh: 1 };

  expect(changesOf(before, after)).toEqual([
    { name: "status", was: "active", is: "suspended", changed: true },
    { name: "limits", was: '{\n  "rpm": 5\n}', is: '{\n  "rpm": 5\n}', changed: false },
    { name: "label", was: null, is: null, changed: false },
    { name: "gone", was: "x", is: null, changed: true },
    { name: "fresh", was: null, is: "1", changed: true },
  ]);
});

test("what was created has no before, and what was removed no after", () => {
  expect(changesOf(null, { status: "active" })).toMatchObject([{ was: null, is: "active", changed: true }]);
  expect(changesOf({ status: "active" }, null)).toMatchObject([{ was: "active", is: null, changed: true }]);
  expect(changesOf(null, null)).toEqual([]);
});
