import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeVector, encodeVector, lengthOfVector } from "./vector.ts";

test("floats of four bytes survive both ways, and every text is little-endian as clients read it", () => {
  const floats = fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { minLength: 1, maxLength: 50 });
  fc.assert(
    fc.property(floats, (numbers) => {
      const text = encodeVector(numbers) ?? "";
      expect(decodeVector(text)).toEqual(numbers);
      expect(lengthOfVector(text)).toBe(numbers.length);
      const bytes = Uint8Array.from(Buffer.from(text, "base64")).buffer;
      expect([...new Float32Array(bytes)]).toEqual(numbers);
    }),
  );
});

test.each(["", "A", "AAA=", "AAAAAA==A", "====", "AAAAAAA", "AAAAA\n==", "AAAA"])("%j is no vector", (text) => {
  expect(lengthOfVector(text)).toBeNull();
  expect(decodeVector(text)).toBeNull();
});

test("numbers that are no floats are not written, and texts of such are not read", () => {
  expect(encodeVector([1e39])).toBeNull();
  expect(encodeVector([Number.NaN])).toBeNull();
  expect(decodeVector(Buffer.from(new Float32Array([Number.NaN]).buffer).toString("base64"))).toBeNull();
});
