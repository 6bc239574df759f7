import { expect, test } from "vitest";
import { processorMs } from "../../../tests/support/processor-time.ts";
import { textBlock } from "../form/build-form.ts";
import type { Block } from "../form/request-form.ts";
import { createConversation } from "./conversation.ts";

const call = (id: string): Block => ({ kind: "tool_call", id, name: "f", input: "{}" });
const result = (callId: string, ...texts: string[]): Block => ({
  kind: "tool_result",
  callId,
  blocks: texts.map((text) => textBlock(text)),
  failed: false,
});

test("results follow the turn that made the calls, before anything that was said meanwhile", () => {
  const { add, addResult, turns } = createConversation();
  add({ role: "assistant", blocks: [call("a")] });
  add({ role: "assistant", blocks: [call("b")] });
  add({ role: "user", blocks: [textBlock("Hurry.")] });
  addResult("b", [textBlock("2")]);
  add({ role: "system", blocks: [textBlock("Be calm.")] });
  addResult("a", [textBlock("1")]);

  expect(turns()).toEqual([
    { role: "assistant", blocks: [call("a"), call("b")] },
    { role: "user", blocks: [result("b", "2"), result("a", "1"), textBlock("Hurry.")] },
    { role: "system", blocks: [textBlock("Be calm.")] },
  ]);
});

test("all that a tool says for one call is one result, however late it comes", () => {
  const { add, addResult, turns } = createConversation();
  add({ role: "assistant", blocks: [call("a")] });
  addResult("a", [textBlock("one")]);
  add({ role: "assistant", blocks: [call("b")] });
  addResult("b", [textBlock("other")]);
  addResult("a", [textBlock("two")]);

  expect(turns()).toEqual([
    { role: "assistant", blocks: [call("a")] },
    { role: "user", blocks: [result("a", "one", "two")] },
    { role: "assistant", blocks: [call("b")] },
    { role: "user", blocks: [result("b", "other")] },
  ]);
});

test("a call that has the id of an earlier one gets its own result", () => {
  const { add, addResult, turns } = createConversation();
  for (const text of ["one", "two"]) {
    add({ role: "assistant", blocks: [call("call_0")] });
    addResult("call_0", [textBlock(text)]);
  }

  expect(turns()).toEqual([
    { role: "assistant", blocks: [call("call_0")] },
    { role: "user", blocks: [result("call_0", "one")] },
    { role: "assistant", blocks: [call("call_0")] },
    { role: "user", blocks: [result("call_0", "two")] },
  ]);
});

test("a result whose call is not there is said by the user where it stands", () => {
  const { add, addResult, turns } = createConversation();
  add({ role: "user", blocks: [textBlock("Hi.")] });
  addResult("lost", [textBlock("1")]);

  expect(turns()).toEqual([{ role: "user", blocks: [textBlock("Hi."), result("lost", "1")] }]);
});

test("a conversation of a few hundred thousand parts is put together in a moment", () => {
  const { add, addResult, turns } = createConversation();
  const many = 200_000;
  const listOf = <Item>(item: (index: number) => Item) => Array.from({ length: many }, (_, index) => item(index));
  const spentMs = processorMs(() => {
    add({ role: "assistant", blocks: listOf((index) => call(String(index))) });
    add({ role: "user", blocks: listOf(() => textBlock("x")) });
    for (let index = 0; index < many; index++) addResult(String(index), [textBlock("y")]);
    addResult(
      "0",
      listOf(() => textBlock("z")),
    );
    turns();
  });

  expect(turns()[1]?.blocks.length).toBe(2 * many);
  expect(spentMs).toBeLessThan(5_000);
});
