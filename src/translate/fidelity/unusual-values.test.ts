import { expect, test } from "vitest";
import type { ClientDialect } from "../../core/request/dialect.ts";
import { openSeal, seal } from "../../../tests/support/seals.ts";
import { type Place, placed } from "../chat/thought-place.ts";
import { lossesOf } from "./losses.ts";

type Json = Record<string, unknown>;

const chat = (content: unknown): Json => ({ messages: [{ role: "user", content }] });
const result = (content: unknown): Json => ({
  messages: [{ role: "user", content: [{ type: "tool_result", tool_use_id: "a", content }] }],
});

test.each<[ClientDialect, string, Json]>([
  ["chat", "tool_choice", { tool_choice: "any" }],
  ["chat", "tools.*", { tools: [{ function: { name: "f" } }] }],
  ["chat", "response_format.type", { response_format: { type: "regex", pattern: "a" } }],
  ["chat", "reasoning_effort", { reasoning_effort: "ultra" }],
  [
    "chat",
    "messages.*.tool_calls.*.function.arguments",
    { messages: [{ role: "assistant", tool_calls: [{ id: "a", function: { name: "f", arguments: {} } }] }] },
  ],
  ["responses", "input.*.arguments", { input: [{ type: "function_call", name: "f", arguments: { a: 1 } }] }],
  ["responses", "tool_choice", { tool_choice: "any" }],
  ["responses", "tools.*", { tools: [{ name: "f" }] }],
  ["responses", "text.format.type", { text: { format: { type: "regex" } } }],
  ["responses", "reasoning.effort", { reasoning: { effort: "ultra" } }],
  ["responses", "input.*.role", { input: [{ role: "critic", content: "hi" }] }],
  [
    "responses",
    "input.*.content.*.type",
    { input: [{ type: "reasoning", summary: [], content: [{ type: "reasoning_text", text: "hm" }] }] },
  ],
  ["messages", "tool_choice.type", { tool_choice: { type: "some" } }],
  ["messages", "thinking.type", { thinking: { type: "deep" } }],
  ["messages", "output_config.effort", { output_config: { effort: "ultra" } }],
  ["messages", "output_config.format.type", { output_config: { format: { type: "regex" } } }],
  ["messages", "output_format.type", { output_format: { type: "regex" } }],
])("%s: a value of %s that means nothing elsewhere is declared", (client, path, body) => {
  for (const provider of providersFor(client)) {
    const { dropped, refused } = lossesOf(client, provider, body);

    expect(refused).toBeNull();
    expect(dropped.map((loss) => loss.path)).toContain(path);
  }
});

test.each<[ClientDialect, string, Json]>([
  ["chat", "messages.0.content.0", chat([{ text: "hi" }])],
  ["chat", "messages.0.content.0", chat([{ type: null, text: "hi" }])],
  ["responses", "input.0.content.0", { input: [{ role: "user", content: ["hi"] }] }],
  ["responses", "input.0.content.0", { input: [{ role: "user", content: [{ text: "hi" }] }] }],
  ["responses", "input.0.output.0", { input: [{ type: "function_call_output", output: [{ text: "hi" }] }] }],
  ["messages", "messages.0.content.0.content.0", result([{ text: "hi" }])],
  ["messages", "system.0.type", { system: [{ type: "document", source: {} }] }],
])("%s: what does not say what it is, at %s, is refused and not passed over", (client, at, body) => {
  for (const provider of providersFor(client)) expect(lossesOf(client, provider, body).refused?.at).toBe(at);
});

test("a document at an address is refused for a chat provider in a tool's result as well", () => {
  const url = "https://x.test/a.pdf";
  const body = { input: [{ type: "function_call_output", output: [{ type: "input_file", file_url: url }] }] };

  expect(lossesOf("responses", "chat", body).refused?.at).toBe("input.0.output.0.file_url");
  expect(lossesOf("responses", "messages", body).refused).toBeNull();
  expect(lossesOf("messages", "chat", result([{ type: "document", source: { type: "url", url } }])).refused?.at).toBe(
    "messages.0.content.0.content.0",
  );
});

test("thinking with which a turn of a chat caller ends is declared, after calls and words as well", () => {
  const tool_calls = [{ id: "a", type: "function", function: { name: "f", arguments: "{}" } }];
  const body = (place: Place, turn: Json): Json => {
    const signature = seal(placed({ dialect: "messages", value: { signature: "s" } }, place));
    return { messages: [{ role: "assistant", ...turn, reasoning_details: [{ text: "Hm.", signature }] }] };
  };
  const lost = (given: Json): string[] =>
    lossesOf("chat", "messages", given, { reasoning: true, open: openSeal }).dropped.map(({ path }) => path);

  expect(lost(body({ calls: 0, spoken: false }, { tool_calls }))).toEqual([]);
  expect(lost(body({ calls: 0, spoken: false }, { content: "So." }))).toEqual([]);
  expect(lost(body({ calls: 0, spoken: true }, { content: "So.", tool_calls }))).toEqual([]);
  expect(lost(body({ calls: 1, spoken: false }, { tool_calls }))).toEqual(["messages"]);
  expect(lost(body({ calls: 0, spoken: true }, { content: "So." }))).toEqual(["messages"]);
});

const DIALECTS: readonly ClientDialect[] = ["chat", "responses", "messages"];
const providersFor = (client: ClientDialect): ClientDialect[] => DIALECTS.filter((dialect) => dialect !== client);
