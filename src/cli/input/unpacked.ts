import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { ExportError } from "../../reconcile/export-error.ts";
import type { SourceFile } from "../../reconcile/read/decode-file.ts";

const GZIP = [0x1f, 0x8b] as const;

/** The same file, unpacked where it is packed: by its first bytes, whatever it is called. */
export const unpacked = ({ name, bytes }: SourceFile): SourceFile => ({
  name,
  bytes: async function* () {
    try {
      yield* await plainBytes(bytes());
    } catch (error) {
      const code = error instanceof Error && "code" in error ? String(error.code) : "";
      if (code.startsWith("Z_")) throw new ExportError(name, "the packed file is damaged or ends too early");
      throw error;
    }
  },
});

async function plainBytes(bytes: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  const chunks = bytes[Symbol.asyncIterator]();
  let first = Buffer.alloc(0);
  for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
    first = Buffer.concat([first, next.value]);
    if (first.length >= GZIP.length) break;
  }
  const all = allOf(first, chunks);
  return GZIP.every((byte, at) => first[at] === byte) ? gunzipped(all) : all;
}

async function* allOf(first: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield first;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

async function* gunzipped(packed: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  const unzip = createGunzip();
  // What goes wrong is thrown where the unpacked bytes are read.
  pipeline(Readable.from(packed), unzip, () => undefined);
  try {
    yield* unzip as AsyncIterable<Uint8Array>;
  } finally {
    unzip.destroy();
  }
}
