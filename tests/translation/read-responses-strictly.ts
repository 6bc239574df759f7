import assert from "node:assert/strict";
import type { Json, ReadStream } from "./stream-events.ts";

type Item = Json & { type: string; id: string };
type Event = Json & {
  type: string;
  output_index: number;
  item_id: string;
  item: Item;
  delta: string;
  response: Response;
};
type Response = Json & { status: string; output: Item[]; usage: Json | null };
type OpenItem = { item: Item; text: string; done: Item | null };

const ENDS = ["response.completed", "response.incomplete", "response.failed"];

export function readResponsesStrictly(given: readonly Json[]): ReadStream {
  const read: ReadStream = { text: "", refusal: "", thinking: "", calls: [], stop: null, usage: null, ended: "failed" };
  const events = given as Event[];
  const last = events.at(-1);
  assert.ok(last && ENDS.includes(last.type), `it ends with its end: ${last?.type}`);
  read.ended = last.type === "response.failed" ? "failed" : "whole";
  const items: OpenItem[] = [];
  for (const [at, event] of events.entries()) {
    assert.equal(event["sequence_number"], at, "events are counted");
    if (at === events.length - 1) break;
    assert.ok(!ENDS.includes(event.type), "it ends once");
    assert.equal(event.type === "response.created", at === 0, "it begins once");
    follow(read, items, event);
  }
  if (read.ended === "failed") return read;
  assert.deepEqual(
    last.response.output,
    items.map(({ done }) => done),
    "the end repeats what was said",
  );
  read.stop = last.response.status;
  read.usage = last.response.usage;
  read.calls = last.response.output.flatMap((item) =>
    item.type === "function_call"
      ? [{ id: String(item["call_id"]), name: String(item["name"]), input: String(item["arguments"]) }]
      : [],
  );
  for (const ids of [read.calls.map(({ id }) => id), items.map(({ item }) => item.id)])
    assert.equal(new Set(ids).size, ids.length, "ids are unique");
  return read;
}

function follow(read: ReadStream, items: OpenItem[], event: Event): void {
  switch (event.type) {
    case "response.created":
    case "response.in_progress":
      return;
    case "response.output_item.added":
      assert.equal(event.output_index, items.length, "items are numbered in the order they begin");
      items.push({ item: event.item, text: "", done: null });
      return;
    case "response.output_item.done": {
      const open = openAt(items, event.output_index, event.item.id);
      open.done = event.item;
      const [part] = (event.item["content"] ?? event.item["summary"] ?? [{}]) as [Json?];
      const whole = event.item["arguments"] ?? part?.["text"] ?? part?.["refusal"] ?? "";
      assert.equal(whole, open.text, "an item says in the end what its pieces said");
      return;
    }
    default: {
      const open = openAt(items, event.output_index, event.item_id);
      if (!event.type.endsWith(".delta")) return;
      assert.equal(typeof event.delta, "string");
      open.text += event.delta;
      if (event.type === "response.output_text.delta") read.text += event.delta;
      if (event.type === "response.refusal.delta") read.refusal += event.delta;
      if (event.type === "response.reasoning_summary_text.delta") read.thinking += event.delta;
    }
  }
}

function openAt(items: readonly OpenItem[], index: number, id: string): OpenItem {
  const open = items[index];
  assert.ok(open !== undefined && open.done === null, `only an open item is spoken of: ${index}`);
  assert.equal(id, open.item.id, "an item keeps its id");
  return open;
}
