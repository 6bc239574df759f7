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
  ],
};

test.each(["chat", "responses"] as const)("a search for tools goes on with a %s provider", (provider) => {
  const request = readMessagesRequest(parseBody(Buffer.from(JSON.stringify(SEARCHED)), 64), {});
  const { request: write } = pickTranslator("messages", { dialect: provider, conformant: true });
  const body = write(request, { upstreamModel: "theirs", maxOutputTokens: null }).toString();
  const { refused, dropped } = lossesOf("messages", provider, SEARCHED);

  expect(refused).toBeNull();
  expect(dropped.map(({ path }) => path)).toEqual(["tools.*.defer_loading"]);
  expect(body).toContain("Tool available: WebFetch");
});
