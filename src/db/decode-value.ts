import { types } from "pg";

type Decode = (text: string) => unknown;

const asText: Decode = (text) => text;
/** The driver's own reading of a type; its declaration knows an enum of types that has no arrays. */
const driverDecoder = types.getTypeParser as (oid: number) => Decode;
const BYTEA = 17;
const TEXT_ARRAY = 1009;
const TIMESTAMPTZ = 1184;

/**
 * By type oid. What is not listed stays text: numeric because a double would round it, date and timestamp because they name
 * no instant. int8 is always a bigint, so that no amount ever passes through a double.
 */
const DECODERS: Readonly<Record<number, Decode>> = {
  16: (text) => text === "t",
  [BYTEA]: driverDecoder(BYTEA),
  20: BigInt,
  21: Number,
  23: Number,
  26: Number,
  114: JSON.parse,
  700: Number,
  701: Number,
  [TIMESTAMPTZ]: driverDecoder(TIMESTAMPTZ),
  3802: JSON.parse,
};

/** Array type to element type. */
const ELEMENTS: Readonly<Record<number, number>> = {
  199: 114,
  1000: 16,
  1001: 17,
  1005: 21,
  1007: 23,
  1009: 25,
  1015: 1043,
  1016: 20,
  1021: 700,
  1022: 701,
  1185: 1184,
  1231: 1700,
  2951: 2950,
  3807: 3802,
};

/** A list of counts, which a row of series has two of. Read as JSON in a tenth of the time. */
const COUNTS = /^\{\d+(?:,\d+)*\}$/;

/** How a column of this type is read. */
export function decoderOf(oid: number): Decode {
  const element = ELEMENTS[oid];
  if (element === undefined) return DECODERS[oid] ?? asText;
  const parse = driverDecoder(TEXT_ARRAY);
  const decode = DECODERS[element] ?? asText;
  const read: Decode = (text) => decodeElements(parse(text), decode);
  return decode === Number ? (text) => (COUNTS.test(text) ? JSON.parse(`[${text.slice(1, -1)}]`) : read(text)) : read;
}

function decodeElements(value: unknown, decode: Decode): unknown {
  if (Array.isArray(value)) return value.map((element) => decodeElements(element, decode));
  return typeof value === "string" ? decode(value) : null;
}
