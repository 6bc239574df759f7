const CR = 13;
const LF = 10;
const HEX = Buffer.from("0123456789abcdef");
/** The digits of the largest length, and two line ends. */
const MOST_FRAME_BYTES = 12;

/** Ends a body in the chunked transfer coding. [RFC 9112, 7.1] */
export const LAST_CHUNK = "0\r\n\r\n";

/**
 * The bytes as one chunk of the chunked transfer coding, in one piece. Node writes a chunk as four pieces, which the kernel has to gather:
 * copying some hundred bytes costs less, and a stream pays for it with every event.
 */
export function frameChunk(bytes: Buffer): Buffer {
  const { length } = bytes;
  const frame = Buffer.allocUnsafe(length + MOST_FRAME_BYTES);
  let at = 0;
  for (let shift = highestDigit(length); shift >= 0; shift -= 4) frame[at++] = HEX[(length >>> shift) & 15] as number;
  frame[at++] = CR;
  frame[at++] = LF;
  frame.set(bytes, at);
  at += length;
  frame[at++] = CR;
  frame[at++] = LF;
  return frame.subarray(0, at);
}

/** How far its first hexadecimal digit is shifted. */
const highestDigit = (length: number): number => (31 - Math.clz32(length)) & ~3;
