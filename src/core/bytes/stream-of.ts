import type { ByteStream } from "./byte-stream.ts";

/** Bytes that are here already, as a stream of one chunk. */
export const streamOf = (bytes: Buffer): ByteStream => ({
  read: (reader) => {
    reader.chunk(bytes);
    reader.end();
  },
  pause: () => undefined,
  resume: () => undefined,
  cancel: () => undefined,
});
