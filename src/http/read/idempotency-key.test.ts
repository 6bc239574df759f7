import { expect, test } from "vitest";
import { readIdempotencyKey } from "./idempotency-key.ts";

test("a key of up to 255 characters is taken as it is, whatever the case of its header [IDM-1] [IDM-2]", () => {
  expect(readIdempotencyKey(["Host", "x"])).toBeNull();
  expect(readIdempotencyKey(["IDEMPOTENCY-key", "a b:~"])).toBe("a b:~");
  expect(readIdempotencyKey(["Idempotency-Key", "k".repeat(255)])).toHaveLength(255);
});

test.each<[string, string[]]>([
  ["empty", ["Idempotency-Key", ""]],
  ["too long", ["Idempotency-Key", "k".repeat(256)]],
  ["with a control character", ["Idempotency-Key", "a\u0007b"]],
  ["sent twice", ["Idempotency-Key", "a", "idempotency-key", "a"]],
])("a key that is %s is refused by name [IDM-3] [IDM-4] [IDM-5] [IDM-6]", (_name, headers) => {
  expect(() => readIdempotencyKey(headers)).toThrow(
    expect.objectContaining({ code: "invalid_request", param: "Idempotency-Key" }),
  );
});

test("a key in UTF-8 is refused as what it is, however many bytes it has [IDM-5]", () => {
  for (const text of ["clé", "naïve…", "鍵", "🔑".repeat(100)]) {
    const asNodeReadsIt = Buffer.from(text, "utf8").toString("latin1");

    expect(() => readIdempotencyKey(["Idempotency-Key", asNodeReadsIt])).toThrow("characters that are not ASCII");
    expect(() => readIdempotencyKey(["Idempotency-Key", asNodeReadsIt])).not.toThrow(/control|[0-9]{3} characters\./);
  }
});
