import assert from "node:assert/strict";
import type { ClientDialect } from "../../src/core/request/dialect.ts";

export type Json = Record<string, unknown>;
export type ReadCall = { id: string; name: string; input: string };

/** What a stream has said, in the order of its blocks. */
export type ReadStream = {
  text: string;
  refusal: string;
  thinking: string;
  calls: ReadCall[];
  stop: string | null;
  usage: Json | null;
  ended: "whole" | "failed";
};

const DONE: Json = { done: true };

export function eventsOf(dialect: ClientDialect, stream: string): Json[] {
  assert.ok(stream.endsWith("\n\n"), "the last event is whole");
  return stream
    .split("\n\n")
    .slice(0, -1)
    .map((event) => {
      const lines = event.split("\n");
      const data = lines.at(-1)?.slice("data: ".length) ?? "";
      if (dialect === "chat") {
        assert.equal(lines.length, 1, `one line: ${event}`);
        return data === "[DONE]" ? DONE : (JSON.parse(data) as Json);
      }
      const value = JSON.parse(data) as Json;
      assert.equal(lines[0], `event: ${String(value["type"])}`, "an event is called what it is");
      assert.equal(lines.length, 2, `two lines: ${event}`);
      return value;
    });
}

export const isDone = (event: Json | undefined): boolean => event === DONE;
