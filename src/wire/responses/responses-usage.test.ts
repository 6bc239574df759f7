import { expect, test } from "vitest";
import { readResponsesUsage } from "./responses-usage.ts";

const tokens = { input_tokens: 10, output_tokens: 5 };
const searches = (...actions: (string | null)[]) =>
  actions.map((type) => ({ type: "web_search_call", ...(type === null ? {} : { action: { type } }) }));
const callsIn = (answer: object) => readResponsesUsage({ usage: tokens, ...answer })?.toolCalls;

test("pages that a search found are opened for nothing; an action that is not known counts", () => {
  expect(callsIn({ output: searches("search", "open_page", "find_in_page") })).toEqual({ web_search: 1 });
  expect(callsIn({ output: searches("search", "search_deeper", null) })).toEqual({ web_search: 3 });
  expect(callsIn({ output: searches("open_page") })).toEqual({});
});

test("what the provider says it counted wins over items, which are attempts", () => {
  const output = [...searches(null, null, null), { type: "x_search_call" }, { type: "code_interpreter_call" }];
  const details = { web_search_calls: 0, x_search_calls: 1, mcp_calls: 2 };

  expect(callsIn({ output, tool_usage: { web_search: { num_requests: 1 } } })).toEqual({
    web_search: 1,
    x_search: 1,
    code_interpreter: 1,
  });
  expect(callsIn({ output, usage: { ...tokens, server_side_tool_usage_details: details } })).toEqual({
    x_search: 1,
    code_interpreter: 1,
    mcp: 2,
  });
});

test.each([-1, 0.5, "1", null, Number.MAX_VALUE])("a count such as %j is none, so that items count", (wrong) => {
  expect(callsIn({ output: searches("search"), tool_usage: { web_search: { num_requests: wrong } } })).toEqual({
    web_search: 1,
  });
});

test("names and numbers of tools are bounded", () => {
  const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`t${index}_calls`, 1]));
  const usage = { ...tokens, server_side_tool_usage_details: { ["x".repeat(1_000)]: 1, ...many } };

  expect(Object.keys(callsIn({ usage }) ?? {}).length).toBeLessThanOrEqual(100);
});
