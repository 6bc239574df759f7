import { expect, test } from "vitest";
import { createResponseReader } from "./response-reader.ts";

const SIZED = "HTTP/1.1 200 OK\r\nDate: x\r\ncontent-length: 5\r\n\r\nhello";
const CHUNKED =
  "HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n1a;x=y\r\nabcdefghijklmnopqrstuvwxyz\r\n0\r\nT: 1\r\n\r\n";
const EMPTY = "HTTP/1.1 429 Too Many\r\nContent-Length: 0\r\n\r\n";

function readInPieces(text: string, pieceBytes: number): string[] {
  const seen: string[] = [];
  let body = "";
  const reader = createResponseReader({
    begin: (status) => seen.push(String(status)),
    body: (bytes, start, end) => {
      body += bytes.toString("latin1", start, end);
    },
    finish: () => {
      seen.push(body);
      body = "";
    },
  });
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += pieceBytes) reader.take(bytes.subarray(start, start + pieceBytes));
  return seen;
}

test("responses with a length, with chunks and without a body follow each other, wherever the network cut them", () => {
  const text = SIZED + CHUNKED + EMPTY + CHUNKED + SIZED;
  const chunked = "abcabcdefghijklmnopqrstuvwxyz";

  for (let pieceBytes = 1; pieceBytes <= text.length; pieceBytes += 1) {
    expect(readInPieces(text, pieceBytes), `pieces of ${pieceBytes}`).toEqual([
      "200",
      "hello",
      "201",
      chunked,
      "429",
      "",
      "201",
      chunked,
      "200",
      "hello",
    ]);
  }
});

test("a response that cannot be followed stops the measurement", () => {
  expect(() => readInPieces("HTTP/1.1 200 OK\r\n\r\nwho knows", 1000)).toThrow("neither a length nor chunks");
  expect(() => readInPieces("SSH-2.0-x\r\n\r\n", 1000)).toThrow("not an HTTP/1.1 response");
  expect(() => readInPieces(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`, 1000)).toThrow("chunk size");
  expect(() => readInPieces(`HTTP/1.1 200 OK\r\n${"x".repeat(70_000)}`, 1000)).toThrow("does not end");
});
