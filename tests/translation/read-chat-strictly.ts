import assert from "node:assert/strict";
import { isDone, type Json, type ReadStream } from "./stream-events.ts";

type Delta = Json & { tool_calls?: { index: number; id?: string; type?: string; function: Json }[] };
type Chunk = Json & { choices: { index: number; delta: Delta; finish_reason: string | null }[]; usage?: Json | null };

const textIn = (value: unknown): string => {
  assert.ok(value === undefined || value === null || typeof value === "string", "text is text");
  return value ?? "";
};

export function readChatStrictly(events: readonly Json[]): ReadStream {
  const read: ReadStream = { text: "", refusal: "", thinking: "", calls: [], stop: null, usage: null, ended: "failed" };
  const chunks = events.filter((event) => !isDone(event) && event["error"] === undefined) as Chunk[];
  read.ended = isDone(events.at(-1)) ? "whole" : "failed";
  assert.equal(events.length - chunks.length, 1, "one end, and it is the last");
  if (read.ended === "failed") assert.ok(events.at(-1)?.["error"], "a stream that is not whole says so");

  for (const [at, chunk] of chunks.entries()) {
    for (const name of ["id", "object", "created", "model"]) assert.deepEqual(chunk[name], chunks[0]?.[name], name);
    assert.equal(read.usage, null, "nothing follows the usage");
    if (chunk.usage) read.usage = chunk.usage;
    if (chunk.choices.length === 0) continue;
    const [{ index, delta, finish_reason: reason }] = chunk.choices as [Chunk["choices"][number]];
    assert.equal(index, 0);
    assert.equal(read.stop, null, "nothing is said after the finish");
    assert.equal(delta["role"], at === 0 ? "assistant" : undefined, "the role is said once, at the start");
    read.stop = reason;
    read.text += textIn(delta["content"]);
    read.refusal += textIn(delta["refusal"]);
    read.thinking += textIn(delta["reasoning_content"] ?? delta["reasoning"]);
    for (const call of delta.tool_calls ?? []) addCall(read, call);
  }
  if (read.ended === "whole" && chunks.length > 0) assert.ok(read.stop, "a whole answer says why it stopped");
  assert.equal(new Set(read.calls.map(({ id }) => id)).size, read.calls.length, "ids are unique");
  return read;
}

function addCall(
  { calls }: ReadStream,
  { index, id, type, function: named }: NonNullable<Delta["tool_calls"]>[number],
): void {
  const known = calls[index];
  if (known === undefined) {
    assert.equal(index, calls.length, "calls are numbered in the order they begin");
    assert.ok(typeof id === "string" && id !== "" && type === "function", "a call begins with its id");
    assert.ok(typeof named["name"] === "string" && named["name"] !== "", "and with its name");
    calls.push({ id, name: named["name"], input: textIn(named["arguments"]) });
    return;
  }
  assert.ok(id === undefined || id === known.id, "an id is never changed");
  assert.ok(named["name"] === undefined || named["name"] === known.name, "nor is a name");
  known.input += textIn(named["arguments"]);
}
