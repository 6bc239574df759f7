import { crc32 } from "node:zlib";

/** One message of a binary event stream, as clouds send it: headers by name, and what they head. */
export type Frame = {
  /** Those that are texts; nothing that is read of a frame stands in one of another kind. */
  headers: ReadonlyMap<string, string>;
  payload: Buffer;
};

/** Why bytes are not a frame. */
export type FrameFault = "too_long" | "wrong_length" | "wrong_checksum" | "wrong_headers";

/** The length of the frame, that of its headers, and the checksum of both. */
export const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;
const TEXT = 7;
const BYTES = 6;

/** How many bytes the value of each kind of header has; those with a length of their own are not here. */
const FIXED_BYTES: Readonly<Record<number, number>> = { 0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16 };

/** The length of a whole frame by its prelude, before any of it is kept. */
export function lengthOf(prelude: Buffer, mostBytes: number): number | FrameFault {
  if (crc32(prelude.subarray(0, 8)) !== prelude.readUInt32BE(8)) return "wrong_checksum";
  const length = prelude.readUInt32BE(0);
  if (length < PRELUDE_BYTES + CHECKSUM_BYTES + prelude.readUInt32BE(4)) return "wrong_length";
  return length > mostBytes ? "too_long" : length;
}

/** A whole frame whose prelude has been checked. Headers and payload are parts of its bytes. */
export function readFrame(bytes: Buffer): Frame | FrameFault {
  const end = bytes.length - CHECKSUM_BYTES;
  if (crc32(bytes.subarray(0, end)) !== bytes.readUInt32BE(end)) return "wrong_checksum";
  const from = PRELUDE_BYTES + bytes.readUInt32BE(4);
  const headers = readHeaders(bytes.subarray(PRELUDE_BYTES, from));
  return headers === null ? "wrong_headers" : { headers, payload: bytes.subarray(from, end) };
}

/** Null: they do not end where they should. */
function readHeaders(bytes: Buffer): Map<string, string> | null {
  const headers = new Map<string, string>();
  let at = 0;
  while (at < bytes.length) {
    const nameEnd = at + 1 + (bytes[at] ?? 0);
    const kind = bytes[nameEnd];
    const value = nameEnd + 1;
    const end = kind === undefined ? null : valueEnd(bytes, kind, value);
    if (end === null || end > bytes.length) return null;
    if (kind === TEXT) headers.set(bytes.toString("utf8", at + 1, nameEnd), bytes.toString("utf8", value + 2, end));
    at = end;
  }
  return headers;
}

function valueEnd(bytes: Buffer, kind: number, at: number): number | null {
  if (kind !== TEXT && kind !== BYTES) {
    const length = FIXED_BYTES[kind];
    return length === undefined ? null : at + length;
  }
  return at + 2 > bytes.length ? null : at + 2 + bytes.readUInt16BE(at);
}

/** A frame as it is sent, with headers that are texts. */
export function writeFrame(headers: Readonly<Record<string, string>>, payload: Buffer): Buffer {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => writeHeader(name, value)));
  const bytes = Buffer.alloc(PRELUDE_BYTES + head.length + payload.length + CHECKSUM_BYTES);
  bytes.writeUInt32BE(bytes.length, 0);
  bytes.writeUInt32BE(head.length, 4);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 8)), 8);
  head.copy(bytes, PRELUDE_BYTES);
  payload.copy(bytes, PRELUDE_BYTES + head.length);
  const end = bytes.length - CHECKSUM_BYTES;
  bytes.writeUInt32BE(crc32(bytes.subarray(0, end)), end);
  return bytes;
}

function writeHeader(name: string, value: string): Buffer {
  const [named, text] = [Buffer.from(name), Buffer.from(value)];
  const kind = Buffer.from([TEXT, text.length >> 8, text.length & 0xff]);
  return Buffer.concat([Buffer.from([named.length]), named, kind, text]);
}
