import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { sharedFolder } from "../../../tests/support/recordings.ts";
import { cases } from "../../../tests/support/cases.ts";
import type { Frame, FrameFault } from "./frame.ts";
import { writeFrame } from "./frame.ts";
import { FrameSplitter } from "./frame-splitter.ts";

const MOST_BYTES = 1_000_000;

type Read = { frames: Frame[]; fault: FrameFault | null; isWithin: boolean };

function split(chunks: readonly Buffer[], mostBytes = MOST_BYTES): Read {
  const frames: Frame[] = [];
  const splitter = new FrameSplitter((frame) => frames.push(frame), mostBytes);
  for (const chunk of chunks) {
    const fault = splitter.push(chunk);
    if (fault !== null) return { frames, fault, isWithin: splitter.isWithin };
  }
  return { frames, fault: null, isWithin: splitter.isWithin };
}

const folder = sharedFolder();
const vectors = (kind: "positive" | "negative"): string[] =>
  folder === null ? [] : readdirSync(join(folder, "recordings/clouds/eventstream/encoded", kind));
const vector = (of: "encoded" | "decoded", kind: "positive" | "negative", name: string): Buffer =>
  readFileSync(join(folder ?? "", "recordings/clouds/eventstream", of, kind, name));

type Decoded = { headers: { name: string; type: number; value: string }[]; payload: string };
const unpacked = (base64: string): string => Buffer.from(base64, "base64").toString();

test.skipIf(folder === null)("the frames that all of AWS's clients are tested with are read and refused alike", () => {
  const [good, bad] = [vectors("positive"), vectors("negative")];
  expect(good.length * bad.length).toBeGreaterThan(0);
  for (const name of good) {
    const { frames, fault, isWithin } = split([vector("encoded", "positive", name)]);
    const told = JSON.parse(vector("decoded", "positive", name).toString()) as Decoded;
    expect({ fault, isWithin, payload: frames[0]?.payload.toString() }, name).toEqual({
      fault: null,
      isWithin: false,
      payload: unpacked(told.payload),
    });
    const texts = told.headers.filter(({ type }) => type === 7).map((header) => [header.name, unpacked(header.value)]);
    expect([...(frames[0]?.headers ?? [])], name).toEqual(texts);
  }
  for (const name of bad) expect(split([vector("encoded", "negative", name)]).fault, name).toBe("wrong_checksum");
});

const anyFrame = fc.record({
  headers: fc.dictionary(fc.string({ minLength: 1, maxLength: 40 }), fc.string({ maxLength: 90 }), { maxKeys: 5 }),
  payload: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
});

test("frames are the same however their bytes are cut, and what is written is what is read", () => {
  fc.assert(
    fc.property(fc.array(anyFrame, { maxLength: 6 }), fc.array(fc.nat(400), { maxLength: 30 }), (given, cuts) => {
      const bytes = Buffer.concat(given.map(({ headers, payload }) => writeFrame(headers, payload)));
      const chunks: Buffer[] = [];
      let at = 0;
      for (const cut of [...cuts, bytes.length]) {
        chunks.push(bytes.subarray(at, at + cut));
        at += cut;
      }
      const { frames, ...rest } = split(chunks);
      expect(rest).toEqual({ fault: null, isWithin: false });
      expect(frames.map(({ headers, payload }) => [Object.fromEntries(headers), payload.toString("hex")])).toEqual(
        given.map(({ headers, payload }) => [wellFormed(headers), payload.toString("hex")]),
      );
    }),
    { numRuns: cases({ gate: 300, long: 5_000 }) },
  );
});

const wellFormed = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toWellFormed(), value.toWellFormed()]));

test("whatever byte of a frame is changed, it is refused or waited for, and never read", () => {
  fc.assert(
    fc.property(anyFrame, fc.nat(), fc.integer({ min: 1, max: 255 }), ({ headers, payload }, place, change) => {
      const bytes = writeFrame(headers, payload);
      const at = place % bytes.length;
      bytes[at] = (bytes[at] ?? 0) ^ change;

      expect(split([bytes]).frames).toEqual([]);
    }),
    { numRuns: cases({ gate: 1_000, long: 100_000 }) },
  );
});

/** A beginning whose checksum agrees with what it claims. */
function prelude(length: number, headers: number): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.writeUInt32BE(length, 0);
  bytes.writeUInt32BE(headers, 4);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 8)), 8);
  return bytes;
}

test.each([
  ["a length above the limit", prelude(2 ** 31, 0), "too_long"],
  ["one byte above the limit", prelude(MOST_BYTES + 1, 0), "too_long"],
  ["headers longer than the frame", prelude(100, 85), "wrong_length"],
  ["headers of four gigabytes", prelude(100, 2 ** 32 - 1), "wrong_length"],
  ["no room for a checksum", prelude(15, 0), "wrong_length"],
  ["a length of nothing", prelude(0, 0), "wrong_length"],
] as const)("%s is refused by the first twelve bytes", (_what, bytes, fault) => {
  expect(split([bytes.subarray(0, 11)]).fault).toBeNull();
  expect(split([bytes]).fault).toBe(fault);
});

/** A frame whose checksums agree, with these bytes as its headers. */
function headed(headers: Buffer): Buffer {
  const bytes = Buffer.concat([prelude(16 + headers.length, headers.length), headers, Buffer.alloc(4)]);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, -4)), bytes.length - 4);
  return bytes;
}

test.each([
  ["a name that ends behind them", [9, 97]],
  ["a name without a kind", [1, 97]],
  ["a kind that nobody knows", [1, 97, 10, 0]],
  ["a text that ends behind them", [1, 97, 7, 0, 9, 98]],
  ["half a length", [1, 97, 7, 0]],
  ["half a number", [1, 97, 5, 0, 0]],
])("headers with %s are refused", (_what, bytes) => {
  expect(split([headed(Buffer.from(bytes))]).fault).toBe("wrong_headers");
});

test("a frame in a million pieces is joined once", () => {
  const bytes = writeFrame({ ":event-type": "chunk" }, Buffer.alloc(900_000, "x"));
  const startedMs = process.cpuUsage().user;
  const { frames } = split(Array.from(bytes, (_byte, at) => bytes.subarray(at, at + 1)));

  expect(frames[0]?.payload.length).toBe(900_000);
  expect((process.cpuUsage().user - startedMs) / 1_000).toBeLessThan(5_000);
});
