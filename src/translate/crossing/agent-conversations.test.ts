import { expect, test } from "vitest";
import { parseBody } from "../../wire/json/parse-body.ts";
import { readMessagesRequest } from "../../wire/messages/messages-request.ts";
import { lossesOf } from "../fidelity/losses.ts";
import { pickTranslator } from "../pick-translator.ts";

/** What Claude Code sends after it has looked for a tool. */
const SEARCHED = {
  model: "public",
  max_tokens: 100,
  messages: [
    { role: "user", content: "Fetch it." },
    {
      role: "assistant",
      content: [
        { type: "tool_use", id: "t1", name: "ToolSearch", input: { query: "fetch" }, caller: { type: "direct" } },
      ],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "t1", content: [{ type: "tool_reference", tool_name: "WebFetch" }] },
        { type: "text", text: "Tool loaded." },
      ],
    },
  ],
  tools: [
    { name: "ToolSearch", input_schema: {} },
    { name: "WebFetch", input_schema: {}, defer_loading: true },
    { name: "NotLookedFor", input_schema: {}, defer_loading: true },
  ],
};

test.each(["chat", "responses"] as const)("a search for tools goes on with a %s provider", (provider) => {
  const request = readMessagesRequest(parseBody(Buffer.from(JSON.stringify(SEARCHED)), 64), {});
  const { request: write } = pickTranslator("messages", { dialect: provider, conformant: true });
  const body = write(request, { upstreamModel: "theirs", maxOutputTokens: null }).toString();
  const { refused, dropped } = lossesOf("messages", provider, SEARCHED);

  expect(refused).toBeNull();
  expect(dropped).toEqual([]);
  expect(body).toContain("Tool available: WebFetch");
  expect(body).toContain('"name":"WebFetch"');
  expect(body).not.toContain("NotLookedFor");
});

test("where the provider was to search, every tool is shown from the start", () => {
  const search = { type: "tool_search_tool_regex_20251119", name: "tool_search_tool_regex" };
  const body = { ...SEARCHED, tools: [...SEARCHED.tools, search] };
  const request = readMessagesRequest(parseBody(Buffer.from(JSON.stringify(body)), 64), {});
  const { request: write } = pickTranslator("messages", { dialect: "chat", conformant: true });

  expect(write(request, { upstreamModel: "theirs", maxOutputTokens: null }).toString()).toContain("NotLookedFor");
  expect(lossesOf("messages", "chat", body).dropped.map(({ path }) => path)).toEqual(["tools.*.type"]);
});
