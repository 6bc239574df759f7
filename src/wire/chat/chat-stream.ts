import type { Fault } from "../../core/fault.ts";
import { formatABody } from "../errors/format-a.ts";

/** A comment: every client of this format passes over it. */
export const CHAT_KEEP_ALIVE = Buffer.from(": keep-alive\n\n");

/** A failure after content has begun; the stream then closes without `[DONE]`. [interface decision 30] */
export function chatFailure(fault: Fault, requestId: string): Buffer {
  return Buffer.from(`data: ${JSON.stringify(formatABody(fault, requestId))}\n\n`);
}
