import { expect, test } from "vitest";
import { requestOf } from "../../../tests/translation/request-of.ts";
import { pickTranslator } from "../../translate/pick-translator.ts";
import { askedByMessages, askedByResponses } from "./provider-tools.ts";

const told = { upstreamModel: "m", maxOutputTokens: null, mostCalls: 5 };
const sent = (dialect: "chat" | "messages" | "responses", body: string, more = {}): string =>
  pickTranslator(dialect, { dialect, conformant: false })
    .request(requestOf(dialect, JSON.parse(body) as object), { ...told, ...more })
    .toString();
const messages = (tools: string): string =>
  `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"x"}],"tools":${tools}}`;
const responses = (rest: string): string => `{"model":"m","input":"x"${rest}}`;
const SEARCH = '"type":"web_search_20250305","name":"web_search"';
const OWN = '{"name":"max_uses","input_schema":{"properties":{"max_uses":{"const":9}}}}';

test("each tool of messages is given a cap, and nothing else is touched", () => {
  expect(sent("messages", messages(`[${OWN},{${SEARCH}},${OWN}]`))).toBe(
    messages(`[${OWN},{${SEARCH},"max_uses":5},${OWN}]`),
  );
  expect(
    sent(
      "messages",
      messages(`[{"max_uses":9,${SEARCH}},{"type":"web_fetch_20250910","name":"web_fetch","max_uses":2}]`),
    ),
  ).toBe(messages(`[{"max_uses":5,${SEARCH}},{"type":"web_fetch_20250910","name":"web_fetch","max_uses":2}]`));
  expect(sent("messages", messages(`[{${SEARCH},"max_uses":"many"}]`))).toBe(messages(`[{${SEARCH},"max_uses":5}]`));
  expect(sent("messages", messages(`[${OWN}]`))).toBe(messages(`[${OWN}]`));
});

test("all tools of a response have one cap together", () => {
  const store = ',"store":false';

  expect(sent("responses", responses(',"tools":[{"type":"web_search"}]'))).toContain('"max_tool_calls":5');
  expect(sent("responses", responses(`,"max_tool_calls":2,"tools":[{"type":"web_search"}]`))).toBe(
    responses(`,"max_tool_calls":2,"tools":[{"type":"web_search"}]${store}`),
  );
  expect(sent("responses", responses(`,"max_tool_calls":9,"tools":[{"type":"web_search_preview"}]`))).toContain(
    '"max_tool_calls":5',
  );
  // Without such tools it is the caller's affair.
  expect(sent("responses", responses(',"max_tool_calls":9'))).toBe(responses(`,"max_tool_calls":9${store}`));
});

test("what a body asks for is read by the exact type, where it stands", () => {
  const types = (...names: unknown[]): object[] => names.map((type) => ({ type, max_uses: 3 }));
  const odd = ["web_search", "web_search_2025", "web_search_20250305x", "code_execution_20250825", 7, null];

  expect(askedByMessages({ tools: types(...odd, "web_fetch_20260209") })).toEqual([
    { name: "web_fetch", at: "tools.6.type", most: 3 },
  ]);
  expect(askedByMessages({ tools: "web_search_20250305" })).toEqual([]);
  expect(askedByMessages({ tools: [null, "x", { type: "web_search_20250305", max_uses: -1 }] })).toEqual([
    { name: "web_search", at: "tools.2.type", most: null },
  ]);
  expect(
    askedByResponses({ tools: types("function", "web_search_2025_08_26", "web_search"), max_tool_calls: 4 }),
  ).toEqual([{ name: "web_search", at: "tools.1.type", most: 4 }]);
  expect(askedByResponses({ tools: types("web_searching", "file_search") })).toEqual([]);
});
