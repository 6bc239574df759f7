import fc from "fast-check";
import { expect, test } from "vitest";
import { cutMembers, saysNothing } from "./cut-members.ts";
import { inspectMembers, isLeftOut } from "./inspect-members.ts";
import { CHAT_MEMBERS } from "../chat/members.ts";

const cut = (text: string): string =>
  cutMembers(Buffer.from(text), CHAT_MEMBERS, (...member) => saysNothing(...member) || isLeftOut(...member)).toString();

const cutUnknown = (text: string): string =>
  cutMembers(Buffer.from(text), CHAT_MEMBERS, (_, member) => !member?.known).toString();

test.each([
  [`{ "user" : null }`, `{  }`],
  [`{"user":null,"model":"m"}`, `{"model":"m"}`],
  [`{"model":"m" , "user":null}`, `{"model":"m"}`],
  [`{"model":"m", "user":null,"stop":[ ],  "n":1}`, `{"model":"m",  "n":1}`],
  [`{"user":null, "stop":[], "n" : 1 }`, `{"n" : 1 }`],
  [`{"messages":[{"refusal":null,"content":null}],"n":1}`, `{"messages":[{"content":null}],"n":1}`],
  [`{"metadata":{"user":null,"a":[]},"logit_bias":null}`, `{"metadata":{"user":null,"a":[]}}`],
  [`{"us\\u0065r":null,"n":1}`, `{"n":1}`],
  [`{"N":9,"n":1, "fallbacks":["m"] ,"M\\u0061x_Tokens":{"a":[1]}}`, `{"n":1}`],
  [`{"n":1.50e+1,"model":"a\\"},{\\"","stop":"nu\\\\"}`, `{"n":1.50e+1,"model":"a\\"},{\\"","stop":"nu\\\\"}`],
])("of %s what says nothing is cut, and no other byte is touched: %s", (text, left) => {
  expect(cut(text)).toBe(left);
});

test("bytes of which nothing is cut are the very same", () => {
  const bytes = Buffer.from(`{"model":"m","messages":[{"role":"user","content":"null"}]}`);

  expect(cutMembers(bytes, CHAT_MEMBERS, (_, member) => !member?.known)).toBe(bytes);
});

test("unknown members are cut wherever the table looks, and stay where it does not", () => {
  const text = `{"top_k":5,"messages":[{"x":{"y":[1]},"role":"user","content":[{"type":"text","z":1,"text":"t"}]}],"metadata":{"q":1}}`;

  expect(cutUnknown(text)).toBe(
    `{"messages":[{"role":"user","content":[{"type":"text","text":"t"}]}],"metadata":{"q":1}}`,
  );
});

const name = fc.constantFrom(
  "user",
  "messages",
  "content",
  "role",
  "tools",
  "function",
  "image_url",
  "type",
  "x",
  "stop",
  "Stop",
  "TOOLS",
  "Content",
  "fallbacks",
  "Cache_Control",
);
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<unknown>(null, [], {}, 1, true, "a", "n]}", 'q"'),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(name, tie("value"), { maxKeys: 5 }),
  ),
}));

test("for any body, what the bytes lose is what the value loses", () => {
  fc.assert(
    fc.property(fc.dictionary(name, json.value, { maxKeys: 6 }), fc.constantFrom(0, 1, "\t"), (made, indent) => {
      const text = JSON.stringify(made, null, indent);
      const value = JSON.parse(text) as Record<string, unknown>;
      const { fault } = inspectMembers(CHAT_MEMBERS, value, { mediaUrls: "https", refused: "fault" });
      fc.pre(fault === null);

      expect(JSON.parse(cut(text))).toEqual(value);
    }),
    { numRuns: 500 },
  );
});
