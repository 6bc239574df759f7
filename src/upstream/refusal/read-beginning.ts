import type { ByteStream } from "../../core/bytes/byte-stream.ts";

/** The beginning of a body that should be small; a provider that dawdles over it or sends too much is cut off. */
export function readBeginning(
  body: ByteStream,
  { maxBytes, timeoutMs }: { maxBytes: number; timeoutMs: number },
): Promise<Buffer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const timer = setTimeout(stop, timeoutMs);
    body.read({
      chunk: (bytes) => {
        chunks.push(bytes);
        size += bytes.length;
        if (size > maxBytes) stop();
      },
      end: done,
      fail: done,
    });

    function stop(): void {
      body.cancel();
      done();
    }
    function done(): void {
      clearTimeout(timer);
      resolve(Buffer.concat(chunks));
    }
  });
}
