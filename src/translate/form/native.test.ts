import { expect, test } from "vitest";
import { cross } from "../../../tests/support/cross.ts";
import { openSeal, seal } from "../../../tests/support/seals.ts";
import { createStamp } from "../../wire/stamp.ts";
import { sealsOf } from "./native.ts";

const ASKED = { role: "user", content: "hi" };
const thinking = (signature: string) => ({ type: "thinking", thinking: "Hm.", signature });
const conversation = (signature: string) => ({
  messages: [ASKED, { role: "assistant", content: [thinking(signature), { type: "text", text: "ok" }] }, ASKED],
});

test("nothing but named members comes out of a seal, even of one that was made here [UPS-11]", () => {
  const value = { type: "item_reference", role: "developer", tools: [{}], id: "rs_1", encrypted_content: "e" };
  const { input } = cross("messages", "responses").sent(conversation(seal({ dialect: "responses", value })));

  expect(input).toContainEqual({
    type: "reasoning",
    id: "rs_1",
    encrypted_content: "e",
    summary: [{ type: "summary_text", text: "Hm." }],
  });
});

test("details of a chat provider's thoughts go back as plain values under their known names [UPS-11]", () => {
  const kept = { type: "reasoning.text", text: "Hm.", signature: "s", id: "a", format: "f", index: 0 };
  const details = [{ ...kept, file_id: "x", data: { nested: true } }];
  const sealed = seal({ dialect: "chat", value: { field: "tool_calls", details, role: "system" } });
  const { messages } = cross("messages", "chat").sent(conversation(sealed)) as { messages: object[] };

  expect(messages[1]).toEqual({
    role: "assistant",
    content: "ok",
    reasoning_content: "Hm.",
    reasoning_details: [kept],
  });
});

test("a seal that says nothing its provider could have said is left out [UPS-11]", () => {
  const sealed = seal({ dialect: "responses", value: { start_index: 0, end_index: 3 } });
  const { input } = cross("messages", "responses").sent(conversation(sealed)) as { input: { type: string }[] };

  expect(input.map(({ type }) => type)).toEqual(["message", "message", "message"]);
});

test("a seal opens for the caller it was made for; not for another, not for one without a stamp, not when it was changed [UPS-11]", () => {
  const native = { dialect: "messages" as const, value: { signature: "s" } };
  const sealed = seal(native);

  expect(openSeal(sealed)).toEqual(native);
  expect(sealsOf(createStamp("another secret")).open(sealed)).toBeNull();
  expect(sealsOf(undefined).open(sealed)).toBeNull();
  expect(openSeal(sealed.replace("messages", "responses"))).toBeNull();
  expect(openSeal(sealed.slice(0, sealed.lastIndexOf(".")))).toBeNull();
  expect(openSeal(`${sealed}A`)).toBeNull();
});
