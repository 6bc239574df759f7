import { expect, test } from "vitest";
import { parseBody } from "../json/parse-body.ts";
import { withoutBareThoughts } from "./bare-thoughts.ts";

const read = (text: string) => withoutBareThoughts(parseBody(Buffer.from(text), 64));
const sent = (text: string): string => read(text).body.bytes.toString();

const BARE = `{"id" : "rs_1","type":"reasoning", "summary":[{"type":"summary_text","text":"],[\\"{"}]}`;
const USER = `{"role":"user","content":"hi, [1]"}`;
const CALL = `{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}`;

test.each([
  ["alone", `{"input":[ ${BARE} ],"n":1.0}`, `{"input":[  ],"n":1.0}`],
  ["first", `{"input":[${BARE} , ${USER}]}`, `{"input":[${USER}]}`],
  ["last", `{"input":[${USER}\n,\n${BARE}\n]}`, `{"input":[${USER}\n]}`],
  ["between others", `{"input":[${USER}, ${BARE}, ${USER} ]}`, `{"input":[${USER}, ${USER} ]}`],
  [
    "several times",
    `{"input":[${BARE},${BARE},${USER},${BARE},${BARE},${USER},${BARE}]}`,
    `{"input":[${USER},${USER}]}`,
  ],
  ["with an escaped type", `{"input":[{"type":"\\u0072easoning","id":"rs_1"},${USER}]}`, `{"input":[${USER}]}`],
  [
    "with nothing in its places",
    `{"input":[{"type":"reasoning","encrypted_content":"","content":[]},${USER}]}`,
    `{"input":[${USER}]}`,
  ],
])("thoughts by their name alone are left out, %s, and no other byte is touched", (_, text, expected) => {
  expect(sent(text)).toBe(expected);
  expect(read(text).leftOut).toMatchObject([{ path: "input.*" }]);
  expect(() => JSON.parse(expected)).not.toThrow();
});

test.each([
  ["encrypted thoughts", `{"input":[{"type":"reasoning","id":"rs_1","encrypted_content":"gAAA"},${CALL}]}`],
  [
    "thoughts to be read",
    `{"input":[{"type":"reasoning","id":"rs_1","content":[{"type":"reasoning_text","text":"hm"}]}]}`,
  ],
  ["a text", `{"input":"reasoning"}`],
  ["an empty list", `{"input":[]}`],
  ["no input", `{"model":"m"}`],
])("%s are as they came", (_, text) => {
  const { body, leftOut } = read(text);

  expect(body.bytes.toString()).toBe(text);
  expect(leftOut).toEqual([]);
});

test("a call loses its own name with the thoughts that led to it, in whatever place it stands", () => {
  const rest = `"type":"function_call","call_id":"c","arguments":"{\\"id\\":1}"`;
  const named = [
    `{"id":"fc_1",${rest}}`,
    `{ ${rest} , "id" : "fc_1" }`,
    `{"type":"custom_tool_call","id":"fc_1","call_id":"d"}`,
  ];
  const unnamed = [`{${rest}}`, `{ ${rest} }`, `{"type":"custom_tool_call","call_id":"d"}`];
  const said = `{"type":"message","id":"msg_1","role":"assistant","content":[]}`;

  expect(sent(`{"input":[${BARE},${named.join()},${said},${named[0]}]}`)).toBe(
    `{"input":[${unnamed.join()},${said},${named[0]}]}`,
  );
  expect(sent(`{"input":[${BARE},{"id":"fc_1"}]}`)).toBe(`{"input":[{"id":"fc_1"}]}`);
});

test("the first place is told, whichever there are", () => {
  expect(read(`{"input":[${USER},${BARE},${BARE}]}`).leftOut).toEqual([
    { name: "input", path: "input.*", at: "input.1" },
  ]);
});

/** Small and repeatable; which numbers it draws does not matter. */
function drawing(seed: number): (most: number) => number {
  let state = seed;
  return (most) => (state = (state * 48_271) % 2_147_483_647) % most;
}

test("whatever the list, what is left is what a reader of JSON would keep", () => {
  const kinds = [
    BARE,
    USER,
    CALL,
    "1",
    "null",
    `"a,]b"`,
    "[ [ ], {} ]",
    `{"type":"reasoning","encrypted_content":"x"}`,
  ];
  const spaces = ["", " ", "\n\t"];
  for (let seed = 1; seed <= 500; seed++) {
    const draw = drawing(seed);
    const space = (): string => spaces[draw(spaces.length)] ?? "";
    const items = Array.from({ length: draw(7) }, () => kinds[draw(kinds.length)] ?? "1");
    const text = `{"a":[0],"input":${space()}[${space()}${items.map((item) => `${space()}${item}${space()}`).join()}],"z":"]"}`;

    expect(JSON.parse(sent(text)), text).toEqual({
      a: [0],
      input: items.filter((item) => item !== BARE).map((item) => JSON.parse(item) as unknown),
      z: "]",
    });
  }
});
