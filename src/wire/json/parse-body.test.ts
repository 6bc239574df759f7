import fc from "fast-check";
import { expect, test } from "vitest";
import { Fault } from "../../core/fault.ts";
import { processorMs } from "../../../tests/support/processor-time.ts";
import { outlineOf } from "./outline.ts";
import { parseBody } from "./parse-body.ts";

const parse = (text: string): unknown => parseBody(Buffer.from(text), 64).value;
const nested = (depth: number): string => `{"a":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;
const listOf = (values: number): string => `{"list":[${Array(values).fill(0).join(",")}]}`;

test("64 levels are taken and the 65th is refused", () => {
  expect(parse(nested(64))).toBeTypeOf("object");
  expect(() => parse(nested(65))).toThrow("the limit is 64 levels");
});

test("a quarter of a million values are taken and more are refused before they are built", () => {
  expect(parse(listOf(249_990))).toBeTypeOf("object");
  expect(() => parse(listOf(250_001))).toThrow("more than 250,000 values");
  // Bounds are looked at first: this would be refused as no JSON by a parser that had read it to its end.
  expect(() => parse(`${listOf(300_000)}]`)).toThrow("more than 250,000 values");
});

test("a thousand fields are taken and more are refused, with their number [BOD-40]", () => {
  const fields = (count: number): string =>
    JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, 0])));

  expect(parse(fields(1_000))).toBeTypeOf("object");
  expect(() => parse(fields(1_001))).toThrow("has 1,001 top-level fields; the limit is 1,000");
});

test("a text of nothing but escaped quotes is measured as fast as any other", () => {
  const text = (letter: string): Buffer => Buffer.from(`{"a":"${letter.repeat(2_000_000)}"}`);
  const most = { depth: 64, values: 250_000 };

  expect(outlineOf(text('\\"'), most)).toEqual({ depth: 1, values: 2, names: 1 });
  expect(processorMs(() => outlineOf(text('\\"'), most))).toBeLessThan(60);
});

test("what stands in strings has no outline, however it is escaped", () => {
  const most = { depth: 64, values: 250_000 };
  const text = String.raw`{"a\"[[[":"}],,,\\","b\\":"\\\"{{{[,","c":"["}`;

  expect(JSON.parse(text)).toBeTypeOf("object");
  expect(outlineOf(Buffer.from(text), most)).toMatchObject({ depth: 1, values: 4 });
});

test("the outline of any JSON is that of its value", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(undefined, 1, "\t"), (value, indent) => {
      const { depth } = outlineOf(Buffer.from(JSON.stringify(value, null, indent)), { depth: 64, values: 1e6 });

      expect(depth).toBe(depthOf(value));
    }),
  );
});

test("any bytes are an object or a refusal, never anything else [interface decision 12]", () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc
      .string({ unit: fc.constantFrom("{", "}", "[", "]", '"', ",", ":", "\\", " ", "0", "\u0000", "é") })
      .map((text) => Buffer.from(text)),
  );

  fc.assert(
    fc.property(bytes, (made) => {
      try {
        expect(parseBody(Buffer.from(made), 8).value).toBeTypeOf("object");
      } catch (error) {
        expect(error).toBeInstanceOf(Fault);
      }
    }),
    { numRuns: 2_000 },
  );
});

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

test.each([
  '{"tools":[{"type":"web_search","type":"function"}]}',
  '{"a":{"b":1,"\\u0062":2}}',
  '{"a":[[{"x":{"y":1,"y":1}}]]}',
])("a name that is given twice anywhere within is refused, since readers differ in which they keep: %s", (text) => {
  expect(() => parseBody(Buffer.from(text), 64)).toThrow("has the same field twice");
});

test("colons in texts, empty names and names of prototypes are nothing special", () => {
  const text = '{"a":"b:c","":{"":1},"__proto__":{"constructor":{"x":":"}},"d":[{},[],null,{"e":null}]}';

  expect(() => parseBody(Buffer.from(text), 64)).not.toThrow();
});
