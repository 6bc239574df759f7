const CR = 13;
const LF = 10;
const HEX = Buffer.from("0123456789abcdef");
const LINE_ENDS = 4;

/** Ends a body in the chunked transfer coding. [RFC 9112, 7.1] */
export const LAST_CHUNK = "0\r\n\r\n";

/**
 * The bytes as one chunk of the chunked transfer coding, in one piece. Node writes a chunk as four pieces, which the kernel has to gather:
 * copying some hundred bytes costs less, and a stream pays for it with every event.
 */
export function frameChunk(bytes: Buffer): Buffer {
  const { length } = bytes;
  const digits = Math.ceil((32 - Math.clz32(length)) / 4);
  const frame = Buffer.allocUnsafe(digits + length + LINE_ENDS);
  let at = 0;
  for (let shift = 4 * (digits - 1); shift >= 0; shift -= 4) frame[at++] = HEX[(length >>> shift) & 15] as number;
  frame[at++] = CR;
  frame[at++] = LF;
  frame.set(bytes, at);
  frame[at + length] = CR;
  frame[at + length + 1] = LF;
  return frame;
}
