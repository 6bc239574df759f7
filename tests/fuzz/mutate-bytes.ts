import fc, { type Arbitrary } from "fast-check";

export type ByteMutation = (bytes: Buffer) => Buffer;

/** What stands well nowhere: NUL, a byte order mark, halves of characters, structure, line ends. */
const FOREIGN = [
  "00",
  "efbbbf",
  "ff",
  "c3",
  "eda080",
  "f4908080",
  "22",
  "7b",
  "5d",
  "2c",
  "5c",
  "0d0a",
  "e280a8",
  "7f",
];

const share = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

/** One change that knows nothing of what the bytes mean. */
export const byteMutation: Arbitrary<ByteMutation> = fc.oneof(
  fc.tuple(share, fc.nat({ max: 7 })).map(([where, bit]) => flipping(where, bit)),
  fc.tuple(share, share).map(([from, to]) => cutting(from, to)),
  share.map((where) => (bytes: Buffer) => bytes.subarray(0, placeIn(bytes, where))),
  fc.tuple(share, fc.nat({ max: 64 })).map(([where, length]) => doubling(where, length)),
  fc.tuple(share, fc.constantFrom(...FOREIGN)).map(([where, hex]) => inserting(where, Buffer.from(hex, "hex"))),
  fc.tuple(share, fc.uint8Array({ maxLength: 12 })).map(([where, made]) => inserting(where, Buffer.from(made))),
  fc.constantFrom("efbbbf", "20", "00", "fffe").map((hex) => inserting(0, Buffer.from(hex, "hex"))),
);

const placeIn = (bytes: Buffer, where: number): number => Math.floor(where * (bytes.length + 1));

const flipping =
  (where: number, bit: number): ByteMutation =>
  (bytes) => {
    const changed = Buffer.from(bytes);
    const at = Math.floor(where * bytes.length);
    if (at < changed.length) changed[at] = (changed[at] ?? 0) ^ (1 << bit);
    return changed;
  };

const cutting =
  (from: number, to: number): ByteMutation =>
  (bytes) => {
    const [start, end] = [placeIn(bytes, Math.min(from, to)), placeIn(bytes, Math.max(from, to))];
    return Buffer.concat([bytes.subarray(0, start), bytes.subarray(end)]);
  };

const doubling =
  (where: number, length: number): ByteMutation =>
  (bytes) => {
    const at = placeIn(bytes, where);
    return Buffer.concat([bytes.subarray(0, at + length), bytes.subarray(at)]);
  };

const inserting =
  (where: number, made: Buffer): ByteMutation =>
  (bytes) => {
    const at = placeIn(bytes, where);
    return Buffer.concat([bytes.subarray(0, at), made, bytes.subarray(at)]);
  };
