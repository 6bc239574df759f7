/**
 * Says of a digest that it is certainly not among those added, or that it probably is: one in two thousand others is taken
 * for an added one while no more were added than there is room for. Two bytes each, and nothing is ever taken out.
 */
export type DigestFilter = {
  has: (digest: Buffer) => boolean;
  add: (digest: Buffer) => void;
  /** False when more were added than it was made for. */
  hasRoom: () => boolean;
};

const BITS_PER_DIGEST = 16;
/** As many positions as a digest of 32 bytes has words of 32 bits. A digest is as random as any hash of it would be. */
const POSITIONS = 8;
const WORD_BYTES = 4;

export function createDigestFilter(capacity: number): DigestFilter {
  const bits = 2 ** Math.min(32, Math.max(16, Math.ceil(Math.log2(capacity * BITS_PER_DIGEST))));
  const bytes = new Uint8Array(bits / 8);
  let added = 0;

  const everyBit = (digest: Buffer, test: (place: number, mask: number) => boolean): boolean => {
    for (let position = 0; position < POSITIONS; position++) {
      const bit = digest.readUInt32LE(position * WORD_BYTES) % bits;
      if (!test(bit >>> 3, 1 << (bit & 7))) return false;
    }
    return true;
  };

  return {
    has: (digest) => everyBit(digest, (place, mask) => ((bytes[place] ?? 0) & mask) !== 0),
    add: (digest) => {
      added++;
      everyBit(digest, (place, mask) => {
        bytes[place] = (bytes[place] ?? 0) | mask;
        return true;
      });
    },
    hasRoom: () => added <= bits / BITS_PER_DIGEST,
  };
}
