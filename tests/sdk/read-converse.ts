import { converseEvent } from "../support/converse-event.ts";
import type { Understood } from "./read-with-sdk.ts";

type Block = {
  text?: string;
  toolUse?: { toolUseId: string; name: string; input?: unknown };
};
type Said = {
  contentBlockIndex?: number;
  start?: Block;
  delta?: { text?: string; toolUse?: { input: string } };
  output?: { message: { content: Block[] } };
};

/**
 * What a recorded answer says. Amazon's own client hands events on as they come, and leaves it to its callers to put them together.
 * Written apart from the product, to be held against it.
 */
export function understoodConverse(values: readonly unknown[]): Understood {
  const [first] = values as Said[];
  const blocks = first?.output === undefined ? blocksIn(values) : first.output.message.content;
  return {
    text: blocks.map(({ text = "" }) => text).join(""),
    refusal: "",
    calls: blocks.flatMap(({ toolUse: call }) =>
      call === undefined ? [] : [{ id: call.toolUseId, name: call.name, input: call.input ?? {} }],
    ),
  };
}

function blocksIn(values: readonly unknown[]): Block[] {
  const texts = new Map<number, string>();
  const calls = new Map<number, { toolUseId: string; name: string; input: string }>();
  for (const value of values) {
    const { contentBlockIndex: place = 0, start, delta } = converseEvent(value).data as Said;
    if (start?.toolUse !== undefined) calls.set(place, { ...start.toolUse, input: "" });
    if (delta?.text !== undefined) texts.set(place, (texts.get(place) ?? "") + delta.text);
    const call = calls.get(place);
    if (call !== undefined) call.input += delta?.toolUse?.input ?? "";
  }
  return [...new Set([...texts.keys(), ...calls.keys()])]
    .sort((one, other) => one - other)
    .map((place) => {
      const call = calls.get(place);
      if (call === undefined) return { text: texts.get(place) ?? "" };
      return { toolUse: { ...call, input: call.input === "" ? {} : (JSON.parse(call.input) as unknown) } };
    });
}
