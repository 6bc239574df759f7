import { expect, test } from "vitest";
import { frameChunk } from "./frame-chunk.ts";

const framed = (bytes: Buffer): string => frameChunk(bytes).toString("latin1");

test("a chunk has its length in hexadecimal, its bytes unchanged, and two line ends", () => {
  expect(framed(Buffer.from("data: é\n\n"))).toBe(`a\r\n${Buffer.from("data: é\n\n").toString("latin1")}\r\n`);
});

test.each([1, 9, 15, 16, 255, 256, 4_095, 4_096, 65_535, 65_536, 1_048_575, 1_048_577])(
  "a chunk of %i bytes says so",
  (length) => {
    const bytes = Buffer.alloc(length, "x");
    const text = framed(bytes);

    expect(text === `${length.toString(16)}\r\n${"x".repeat(length)}\r\n`).toBe(true);
  },
);
