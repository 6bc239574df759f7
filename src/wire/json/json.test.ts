import fc from "fast-check";
import { expect, test } from "vitest";
import { editMembers, type MemberEdits } from "./edit-members.ts";
import { findMembers } from "./members.ts";

const edit = (text: string, edits: MemberEdits): string => {
  const bytes = Buffer.from(text);
  return editMembers(bytes, findMembers(bytes), edits).toString();
};

test("setting a member leaves every other byte alone", () => {
  const text = `{ "big": 12345678901234567890.10 ,\n "model" : "a\\"b" , "deep": {"model": [1, "}"]} }`;

  expect(edit(text, { model: `"c"` })).toBe(text.replace(`"a\\"b"`, `"c"`));
});

test("members are added and removed without breaking the commas", () => {
  expect(edit(`{}`, { a: "1" })).toBe(`{"a":1}`);
  expect(edit(`{"a":1}`, { b: "2" })).toBe(`{"a":1,"b":2}`);
  expect(edit(`{"a":1}`, { a: null })).toBe(`{}`);
  expect(edit(`{"a":1}`, { a: null, b: "2" })).toBe(`{"b":2}`);
  expect(edit(`{"a":1,"b":2,"c":3}`, { b: null })).toBe(`{"a":1,"c":3}`);
  expect(edit(`{"a":1,"b":2,"c":3}`, { b: null, c: null })).toBe(`{"a":1}`);
  expect(edit(`{"a":1,"b":2,"c":3}`, { a: null, b: null, d: "4" })).toBe(`{"c":3,"d":4}`);
});

test("repeated names are seen, escapes included", () => {
  const members = findMembers(Buffer.from(`{"a":[[{"x":[]}]],"\\u0061":"\\\\"}`));

  expect(members.duplicate).toBe("a");
});

test("for any object, editing the bytes equals editing the value", () => {
  const name = fc.constantFrom("a", "b", "c", "model", "__proto__", 'é"\\');
  // As JSON can say it: it has no minus zero.
  const value = fc.jsonValue({ maxDepth: 3 }).map((made) => JSON.parse(JSON.stringify(made)) as unknown);
  const entries = fc.uniqueArray(fc.tuple(name, value), { selector: ([key]) => key });
  const edits = fc.uniqueArray(fc.tuple(name, fc.option(value, { nil: undefined })), { selector: ([key]) => key });

  fc.assert(
    fc.property(entries, edits, fc.constantFrom(undefined, 1, "\t"), (members, changes, indent) => {
      const before = fromEntries(members);
      const after = edit(
        JSON.stringify(before, null, indent),
        fromEntries(changes.map(([key, to]) => [key, to === undefined ? null : JSON.stringify(to)])) as MemberEdits,
      );

      const expected = new Map(members);
      for (const [key, to] of changes) {
        if (to === undefined) expected.delete(key);
        else expected.set(key, to);
      }
      expect(new Map(Object.entries(JSON.parse(after) as object))).toEqual(expected);
    }),
  );
});

function fromEntries(entries: readonly (readonly [string, unknown])[]): object {
  const result = Object.create(null) as Record<string, unknown>;
  for (const [key, value] of entries) result[key] = value;
  return result;
}
