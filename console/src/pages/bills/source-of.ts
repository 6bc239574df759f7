import { ExportError } from "../../../../src/reconcile/export-error.ts";
import type { SourceFile } from "../../../../src/reconcile/read/decode-file.ts";

/** A file of the reader, unpacked where its first bytes say that it is packed. */
export const sourceOf = (file: File): SourceFile => ({ name: file.name, bytes: () => bytesOf(file) });

async function* bytesOf(file: File): AsyncGenerator<Uint8Array> {
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  const isPacked = first === 0x1f && second === 0x8b;
  const stream = isPacked ? file.stream().pipeThrough(new DecompressionStream("gzip")) : file.stream();
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } catch (error) {
    throw isPacked ? new ExportError(file.name, "the packed file is damaged or ends too early") : error;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
