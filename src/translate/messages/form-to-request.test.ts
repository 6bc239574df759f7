import { expect, test } from "vitest";
import { cross } from "../../../tests/support/cross.ts";
import { seal } from "../../../tests/support/seals.ts";

type Json = Record<string, unknown>;
const { sent } = cross("chat", "messages");
const call = { id: "a", type: "function", function: { name: "look_up", arguments: "{}" } };
const CALLED: Json[] = [
  { role: "user", content: "hi" },
  { role: "assistant", content: null, tool_calls: [call] },
  { role: "tool", tool_call_id: "a", content: "ok" },
];

test("text that is white space alone is left out, since a messages provider refuses it", () => {
  const body = sent({
    messages: [
      { role: "system", content: " " },
      { role: "user", content: [" \n", "hi"].map((text) => ({ type: "text", text })) },
      { role: "assistant", content: "\n\n", tool_calls: [call] },
      { role: "tool", tool_call_id: "a", content: "\n" },
      { role: "assistant", content: "  " },
      { role: "user", content: "go on" },
    ],
  });

  expect(body).not.toHaveProperty("system");
  expect(body["messages"]).toEqual([
    { role: "user", content: [{ type: "text", text: "hi" }] },
    { role: "assistant", content: [{ type: "tool_use", id: "a", name: "look_up", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: [] }] },
    { role: "user", content: [{ type: "text", text: "go on" }] },
  ]);
});

test("an answer that the caller has begun ends without white space, and what was said before keeps its own", () => {
  const { messages } = sent({
    messages: [
      { role: "user", content: "hi " },
      { role: "assistant", content: "yes \n" },
      { role: "user", content: "name one " },
      { role: "assistant", content: "It is \n" },
    ],
  });

  expect((messages as { content: Json[] }[]).map(({ content }) => content[0]?.["text"])).toEqual([
    "hi ",
    "yes \n",
    "name one ",
    "It is",
  ]);
});

test("thinking after which nothing was said is left out, since a messages provider refuses a turn that ends in it", () => {
  const signed = (signature: string): Json => ({
    type: "reasoning",
    summary: [{ type: "summary_text", text: "Hm." }],
    encrypted_content: seal({ dialect: "messages", value: { signature } }),
  });
  const said = { role: "assistant", content: "yes" };
  const asked = { role: "user", content: "hi" };
  const { messages } = cross("responses", "messages").sent({
    input: [asked, signed("a"), said, signed("b"), asked, signed("c"), asked],
  });

  expect(messages).toEqual([
    { role: "user", content: [{ type: "text", text: "hi" }] },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "Hm.", signature: "a" },
        { type: "text", text: "yes" },
      ],
    },
    { role: "user", content: [{ type: "text", text: "hi" }] },
    { role: "user", content: [{ type: "text", text: "hi" }] },
  ]);
});

test("calls of before keep their tools when the caller offers none any more, and none of them may be called", () => {
  const tool = { name: "look_up", input_schema: { type: "object", properties: {} } };

  expect(sent({ messages: CALLED })).toMatchObject({ tools: [tool], tool_choice: { type: "none" } });
  expect(sent({ messages: [...CALLED, ...CALLED] })["tools"]).toEqual([tool]);
});

test("where nothing was called and nothing is offered there are no tools", () => {
  const body = sent({ messages: CALLED.slice(0, 1) });

  expect(body).not.toHaveProperty("tools");
  expect(body).not.toHaveProperty("tool_choice");
});
