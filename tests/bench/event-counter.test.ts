import { expect, test } from "vitest";
import { createEventCounter } from "./event-counter.ts";

const STREAM = Buffer.from(
  'data: {"a":1}\n\nevent: x\ndata: {"b":"not data: here"}\n\n: comment data:\n\n\ndata:\ndat\ndata: [DONE]\n\n',
);

function countInPieces(bytes: Buffer, pieceBytes: number): number {
  const counter = createEventCounter();
  let count = 0;
  for (let start = 0; start < bytes.length; start += pieceBytes) {
    count += counter.take(bytes, start, Math.min(bytes.length, start + pieceBytes));
  }
  return count;
}

test("only lines that begin with data: are counted", () => {
  expect(countInPieces(STREAM, STREAM.length)).toBe(4);
});

test("the count does not depend on where the network cut the stream", () => {
  for (let pieceBytes = 1; pieceBytes < STREAM.length; pieceBytes += 1) {
    expect(countInPieces(STREAM, pieceBytes), `pieces of ${pieceBytes}`).toBe(4);
  }
});

test("a line cut in any two places is counted once, and what lies outside the piece is not read", () => {
  const line = Buffer.from("x\ndata: 1\n");
  for (let first = 0; first <= line.length; first += 1) {
    for (let second = first; second <= line.length; second += 1) {
      const counter = createEventCounter();
      const count =
        counter.take(line, 0, first) + counter.take(line, first, second) + counter.take(line, second, line.length);
      expect(count, `cut at ${first} and ${second}`).toBe(1);
    }
  }
});

test("a new body begins a new line", () => {
  const counter = createEventCounter();
  counter.take(Buffer.from("rest without newline"), 0, 20);
  counter.reset();

  expect(counter.take(Buffer.from("data: 1"), 0, 7)).toBe(1);
});
