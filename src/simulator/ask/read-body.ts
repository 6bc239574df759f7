import type { IncomingMessage } from "node:http";
import { Refusal } from "./refusal.ts";

const LARGEST_BODY_BYTES = 64 * 1024 * 1024;

/** Reads the whole body; null when the caller left before it was sent. */
export function readBody(request: IncomingMessage): Promise<Buffer | null> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= LARGEST_BODY_BYTES) {
        chunks.push(chunk);
        return;
      }
      // What still comes is read and dropped, so that the refusal can be heard.
      chunks.length = 0;
      reject(new Refusal(413, `The body is larger than ${LARGEST_BODY_BYTES} bytes.`));
    });
    request.on("end", () => resolve(chunks.length === 1 ? (chunks[0] ?? null) : Buffer.concat(chunks)));
    request.on("error", () => resolve(null));
    request.on("close", () => resolve(null));
  });
}
