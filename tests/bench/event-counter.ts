const FIELD = Buffer.from("data:");
const NEWLINE = 10;

export type EventCounter = {
  /** Takes the next piece of a body and returns how many lines were found in it to begin with `data:`. */
  take: (bytes: Buffer, start: number, end: number) => number;
  /** The next piece belongs to a new body. */
  reset: () => void;
};

/**
 * Counts the lines of an event stream that begin with `data:`, wherever the network cut it. Byte by byte: an event is a few
 * hundred bytes, and a search that must also look across cuts would cost more than it saves.
 */
export function createEventCounter(): EventCounter {
  /** How much of `data:` the current line has matched so far; −1 when that is decided. */
  let matched = 0;

  return {
    take: (bytes, start, end) => {
      let count = 0;
      for (let position = start; position < end; position += 1) {
        const byte = bytes[position];
        if (byte === NEWLINE) {
          matched = 0;
        } else if (matched >= 0) {
          matched = byte === FIELD[matched] ? matched + 1 : -1;
          if (matched === FIELD.length) {
            count += 1;
            matched = -1;
          }
        }
      }
      return count;
    },
    reset: () => {
      matched = 0;
    },
  };
}
