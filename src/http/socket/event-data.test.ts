import { expect, test } from "vitest";
import { readEventData } from "./event-data.ts";

const read = (text: string) => {
  const bytes = Buffer.from(`before\n\n${text}after`);
  const { name, data } = readEventData(bytes, 8, 8 + Buffer.byteLength(text));
  return { name, data: data?.toString() ?? null };
};

test.each([
  ['event: a.b\ndata: {"x":1}\n\n', { name: "a.b", data: '{"x":1}' }],
  ['event:a.b\r\ndata:{"x":1}\r\n\r\n', { name: "a.b", data: '{"x":1}' }],
  ['data: {"x":\ndata: 1}\n\n', { name: null, data: '{"x":\n1}' }],
  [": keep-alive\n\n", { name: null, data: null }],
  ["id: 1\nretry: 5\ndata:\n\n", { name: null, data: "" }],
  ["data:  two spaces\n\n", { name: null, data: " two spaces" }],
  ["data: grün 🌱\n\n", { name: null, data: "grün 🌱" }],
])("%j is read without its framing", (text, expected) => {
  expect(read(text)).toEqual(expected);
});
