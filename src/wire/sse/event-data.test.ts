import { createParser } from "eventsource-parser";
import fc from "fast-check";
import { expect, test } from "vitest";
import { eventData } from "./event-data.ts";

function parsed(event: string): string | null {
  let data: string | null = null;
  createParser({ onEvent: (message) => (data = message.data) }).feed(Buffer.from(event).toString("utf8"));
  return data;
}

test.each([
  ['data: {"a":1}\n\n', '{"a":1}'],
  ['event: delta\ndata: {"a":"é"}\n\n', '{"a":"é"}'],
  ["data: a\ndata: b\n\n", "a\nb"],
  ['data:{"a":1}\r\n\r\n', '{"a":1}'],
  [": comment\n\n", null],
  ["event: ping\n\n", null],
  ["event: ping\nid: 7\ndata: x\n\n", "x"],
])("the data of %j is %j", (event, data) => {
  expect(eventData(Buffer.from(event))).toBe(data);
});

test("an event of any lines has the data that a parser finds in it", () => {
  const pieces = [
    "event:",
    "event: ",
    "data:",
    "data: ",
    "id: 1",
    ": x",
    "{}",
    "é",
    " ",
    "\n",
    "\r",
    "\r\n",
    "\n\n",
    "\ufeff",
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 8 }), (parts) => {
      // An event ends with its first blank line.
      const [text = ""] = parts.join("").match(/^[^]*?\n\r?\n/) ?? [];
      expect(eventData(Buffer.from(text))).toBe(parsed(text));
    }),
    { numRuns: 2_000 },
  );
});
