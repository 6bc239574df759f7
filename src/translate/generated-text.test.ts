import { expect, test } from "vitest";
import { generatedText } from "./generated-text.ts";

test.each<[string, unknown, string]>([
  [
    "chat",
    {
      id: "x",
      object: "chat.completion",
      choices: [
        {
          message: {
            role: "assistant",
            content: "hello",
            tool_calls: [{ function: { name: "f", arguments: '{"a":1}' } }],
          },
        },
      ],
    },
    'hello\n{"a":1}\nf',
  ],
  [
    "responses",
    { id: "x", output: [{ type: "message", content: [{ type: "output_text", text: "hello" }] }, { arguments: "{}" }] },
    "hello\n{}",
  ],
  [
    "messages",
    {
      content: [
        { type: "thinking", thinking: "hm" },
        { type: "text", text: "hi" },
        { type: "tool_use", input: { a: 1 } },
      ],
    },
    'hm\nhi\n{"a":1}',
  ],
])("of an answer in the format of %s only what was generated is left", (_format, answer, text) => {
  expect(generatedText(answer)).toBe(text);
});

test("anything else has no text", () => {
  for (const answer of [null, 1, "content", [], {}]) expect(generatedText(answer)).toBe("");
});
