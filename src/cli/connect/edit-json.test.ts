import fc from "fast-check";
import { expect, test } from "vitest";
import { CannotEdit } from "./cannot-edit.ts";
import { setJson, valueOf } from "./edit-json.ts";

const SET = [{ path: ["env", "URL"], value: "https://g" }] as const;

test("an absent file becomes an object with the settings alone", () => {
  expect(setJson("", SET)).toBe('{\n  "env": {\n    "URL": "https://g"\n  }\n}\n');
});

test("order, indentation, comments and a trailing comma stay as they are", () => {
  const before = `{
\t// how I like it
\t"model": "opus", /* for now */
\t"env": {
\t\t"EDITOR": "vi",
\t},
\t"last": [1, {"a": "}"}]
}
`;

  expect(setJson(before, SET)).toBe(before.replace('"EDITOR": "vi",', '"EDITOR": "vi",\n\t\t"URL": "https://g"'));
});

test("a value that differs is replaced in its place, and the last one counts where a name stands twice", () => {
  expect(setJson('{"env":{"URL":"a", "x":1,"URL" : "b"}}', SET)).toBe('{"env":{"URL":"a", "x":1,"URL" : "https://g"}}');
});

test("settings that are there already change no byte", () => {
  const written = setJson('{ "a" : 1 }', SET);

  expect(setJson(written, SET)).toBe(written);
});

test.each([
  ['{"env": "none"}', "not an object"],
  ["[]", "not a JSON object"],
  ['{"a": 1', "not valid JSON"],
  ["{'a': 1}", "not valid JSON"],
])("%s is refused", (text, why) => {
  expect(() => setJson(text, SET)).toThrow(CannotEdit);
  expect(() => setJson(text, SET)).toThrow(why);
});

/** Layouts that people and programs write. */
const layouts = fc.constantFrom(
  (value: unknown) => JSON.stringify(value),
  (value: unknown) => JSON.stringify(value, null, 2),
  (value: unknown) => JSON.stringify(value, null, "\t"),
  (value: unknown) =>
    `\uFEFF// head\n${JSON.stringify(value, null, 4).replaceAll(/,\n/g, ', // and so on "\n')}\n/* end */\n`,
  (value: unknown) => JSON.stringify(value, null, 2).replaceAll("\n", "\r\n"),
);
const settings = fc.array(
  fc.record({
    path: fc.tuple(fc.constantFrom("env", "a b"), fc.constantFrom("URL", '"', "//", "é")),
    value: fc.oneof(fc.string(), fc.constant({ deep: { er: 1 } })),
  }),
  { maxLength: 4 },
);
const files = fc
  .dictionary(fc.string(), fc.jsonValue())
  .filter((file) => !JSON.stringify(file).includes("__proto__"))
  .chain((file) =>
    fc.option(fc.dictionary(fc.string({ minLength: 1 }), fc.jsonValue()), { nil: undefined }).map((env) => {
      const { env: _, "a b": __, ...rest } = file;
      return env === undefined ? rest : { ...rest, env };
    }),
  );

test("whatever a file holds and however it is laid out, only the settings differ afterwards", () => {
  fc.assert(
    fc.property(files, layouts, settings, (file, write, wanted) => {
      const before = write(file);
      const meant = structuredClone(valueOf(before)) as Record<string, Record<string, unknown>>;
      for (const { path, value } of wanted) (meant[path[0]] ??= {})[path[1]] = value;

      const after = setJson(before, wanted);

      expect(valueOf(after)).toEqual(meant);
      expect(setJson(after, wanted)).toBe(after);
      // What is taken away stood in values that were replaced; nothing else of the old text is lost.
      const isReplaced = wanted.some(({ path: [group, name] }) => Object.hasOwn(groupOf(file, group), name));
      if (!isReplaced) expect(isSubsequence(before, after)).toBe(true);
    }),
    { numRuns: 100 },
  );
});

const groupOf = (file: object, group: string): object =>
  (Object.entries(file).find(([name]) => name === group)?.[1] ?? {}) as object;

function isSubsequence(part: string, whole: string): boolean {
  let at = 0;
  for (const character of whole) if (character === part[at]) at++;
  return at === part.length;
}
