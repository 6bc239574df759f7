import assert from "node:assert/strict";
import type { Json, ReadStream } from "./stream-events.ts";

type Event = Json & {
  type: string;
  index: number;
  content_block: Json;
  delta: Json;
  usage: Json;
};

export function readMessagesStrictly(given: readonly Json[]): ReadStream {
  const read: ReadStream = { text: "", refusal: "", thinking: "", calls: [], stop: null, usage: null, ended: "failed" };
  const events = (given as Event[]).filter(({ type }) => type !== "ping");
  const last = events.at(-1)?.type;
  assert.ok(last === "message_stop" || last === "error", `it ends with its end: ${last}`);
  read.ended = last === "error" ? "failed" : "whole";
  let begun = 0;
  let open: Json | null = null;

  for (const [at, event] of events.slice(0, -1).entries()) {
    assert.equal(event.type === "message_start", at === 0, "it begins once");
    assert.equal(read.stop, null, "nothing is said after the stop");
    switch (event.type) {
      case "message_start":
        break;
      case "content_block_start":
        assert.equal(open, null, "one block at a time");
        assert.equal(event.index, begun++, "blocks are numbered in their order");
        open = event.content_block;
        if (open["type"] === "tool_use") read.calls.push(callOf(open));
        break;
      case "content_block_delta":
        assert.ok(open !== null && event.index === begun - 1, "only the open block grows");
        grow(read, open, event.delta);
        break;
      case "content_block_stop":
        assert.ok(open !== null && event.index === begun - 1, "only the open block stops");
        open = null;
        break;
      case "message_delta":
        assert.equal(open, null, "the end comes after the blocks");
        read.stop = String(event.delta["stop_reason"]);
        read.usage = event.usage;
        break;
      default:
        assert.fail(`no event of this format: ${event.type}`);
    }
  }
  if (read.ended === "whole") assert.ok(read.stop !== null && open === null, "a whole answer says why it stopped");
  assert.equal(new Set(read.calls.map(({ id }) => id)).size, read.calls.length, "ids are unique");
  return read;
}

function callOf({ id, name, input }: Json) {
  assert.ok(typeof id === "string" && id !== "" && typeof name === "string" && name !== "", "a call has id and name");
  assert.deepEqual(input, {}, "input comes in pieces");
  return { id, name, input: "" };
}

function grow(read: ReadStream, open: Json, delta: Json): void {
  const text = (name: string): string => {
    assert.equal(typeof delta[name], "string");
    return delta[name] as string;
  };
  switch (`${String(open["type"])} ${String(delta["type"])}`) {
    case "text text_delta":
      read.text += text("text");
      break;
    case "thinking thinking_delta":
      read.thinking += text("thinking");
      break;
    case "tool_use input_json_delta": {
      const call = read.calls.at(-1);
      assert.ok(call);
      call.input += text("partial_json");
      break;
    }
    case "thinking signature_delta":
    case "text citations_delta":
      break;
    default:
      assert.fail(`${String(delta["type"])} in a block of ${String(open["type"])}`);
  }
}
