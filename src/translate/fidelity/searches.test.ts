import { expect, test } from "vitest";
import type { ClientDialect, ProviderDialect } from "../../core/request/dialect.ts";
import { lossesOf } from "./losses.ts";

const SEARCH = { type: "web_search_20250305", name: "web_search" };
const MINE = { name: "mine", input_schema: { type: "object" } };

const judged = (client: ClientDialect, provider: ProviderDialect, body: Record<string, unknown>) => {
  const { refused, dropped } = lossesOf(client, provider, body, { reasoning: true, models: ["gemini-3-flash"] });
  return refused === null ? dropped.map(({ path }) => path) : `400 ${refused.at}`;
};

test.each<[ClientDialect, Record<string, unknown>, string[] | string]>([
  ["messages", { tools: [SEARCH] }, []],
  [
    "messages",
    { tools: [{ ...SEARCH, max_uses: 3, allowed_domains: [] }] },
    ["tools.*.max_uses", "tools.*.allowed_domains"],
  ],
  ["messages", { tools: [{ ...SEARCH, allowed_domains: ["a.example"] }] }, "400 tools.0.allowed_domains"],
  ["messages", { tools: [{ ...SEARCH, blocked_domains: ["a.example"] }] }, "400 tools.0.blocked_domains"],
  ["messages", { tools: [MINE, SEARCH] }, "400 tools.1.type"],
  ["messages", { tools: [{ type: "web_fetch_20250910", name: "web_fetch" }] }, "400 tools.0.type"],
  ["responses", { tools: [{ type: "web_search" }] }, []],
  [
    "responses",
    { tools: [{ type: "web_search", filters: { allowed_domains: ["a.example"] } }] },
    "400 tools.0.filters",
  ],
  ["responses", { tools: [{ type: "web_search" }, { type: "function", name: "f" }] }, "400 tools.0.type"],
  ["chat", { web_search_options: {} }, []],
  ["chat", { web_search_options: { search_context_size: "low" } }, ["web_search_options.search_context_size"]],
  [
    "chat",
    { web_search_options: {}, tools: [{ type: "function", function: { name: "f" } }] },
    "400 web_search_options",
  ],
])("at Gemini a search of %s %j becomes %j", (client, body, expected) => {
  expect(judged(client, "gemini", body)).toEqual(expected);
});

test.each<[ClientDialect, ProviderDialect, Record<string, unknown>]>([
  ["messages", "chat", { tools: [SEARCH] }],
  ["messages", "responses", { tools: [SEARCH] }],
  ["responses", "messages", { tools: [{ type: "web_search" }] }],
  ["chat", "messages", { web_search_options: {} }],
])("a search of %s at providers of %s is refused", (client, provider, body) => {
  expect(judged(client, provider, body)).toMatch(/^400 /);
});
