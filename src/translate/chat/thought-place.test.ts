import { describe, expect, test } from "vitest";
import { cross } from "../../../tests/support/cross.ts";

type Json = Record<string, unknown>;

const thought = (signature: string): Json => ({ type: "thinking", thinking: `${signature}?`, signature });
const call = (id: string): Json => ({ type: "tool_use", id, name: "f", input: {} });
const text = { type: "text", text: "So." };
const results = (...ids: string[]): Json[] => ids.map((id) => ({ role: "tool", tool_call_id: id, content: "ok" }));

const { whole, events, sent } = cross("chat", "messages");

/** What the provider is sent of its own answer, once the caller has brought it back. */
function cameBack(message: Json, ...ids: string[]): unknown {
  const body = sent({ messages: [{ role: "user", content: "hi" }, message, ...results(...ids)] });
  return (body["messages"] as { content: unknown }[])[1]?.content;
}

const wholeMessage = (content: readonly Json[]): Json => {
  const { choices } = whole({ type: "message", content, stop_reason: "tool_use" });
  return (choices as { message: Json }[])[0]?.message ?? {};
};

/** The message as an official client adds it up from a stream. */
function streamedMessage(content: readonly Json[]): Json {
  const blocks = content.flatMap((block, index): Json[] => {
    const { type, thinking, signature, text: words } = block;
    const empty = { ...block, ...(type === "thinking" ? { thinking: "", signature: "" } : {}) };
    const deltas: Json[] =
      type === "thinking"
        ? [
            { type: "thinking_delta", thinking },
            { type: "signature_delta", signature },
          ]
        : type === "text"
          ? [{ type: "text_delta", text: words }]
          : [];
    return [
      { type: "content_block_start", index, content_block: type === "text" ? { ...empty, text: "" } : empty },
      ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index },
    ];
  });
  const chunks = events(
    { type: "message_start", message: { usage: { input_tokens: 1, output_tokens: 1 } } },
    ...blocks,
    { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 9 } },
    { type: "message_stop" },
  );
  const deltas = (chunks ?? []).flatMap((chunk) => (chunk["choices"] as { delta: Json }[]).map(({ delta }) => delta));
  const all = (name: string): Json[] => deltas.flatMap((delta) => (delta[name] as Json[] | undefined) ?? []);
  return {
    role: "assistant",
    content: deltas.map(({ content: words }) => (typeof words === "string" ? words : "")).join(""),
    reasoning_details: all("reasoning_details"),
    tool_calls: all("tool_calls")
      .filter(({ id }) => id !== undefined)
      .map((begun) => ({ ...begun, function: { name: "f", arguments: "{}" } })),
  };
}

describe.each([
  ["whole", wholeMessage],
  ["streamed", streamedMessage],
] as const)("thinking of a messages provider in a %s chat answer", (_, messageOf) => {
  test.each([
    ["before and between calls", [thought("a"), call("x"), thought("b"), call("y")]],
    ["around words", [thought("a"), text, thought("b"), call("x"), thought("c"), call("y")]],
    ["between the last calls alone", [call("x"), thought("a"), thought("b"), call("y")]],
  ])("comes back to it where it stood: %s", (__, content) => {
    expect(cameBack(messageOf(content), "x", "y")).toEqual(content);
  });
});
