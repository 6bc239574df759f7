import type { Fault } from "../../core/fault.ts";
import { formatBBody } from "../errors/format-b.ts";

/** Clients of this format know this event and pass over it. */
export const MESSAGES_KEEP_ALIVE = messagesEvent({ type: "ping" });

export const MESSAGE_STOP = messagesEvent({ type: "message_stop" });

/** A failure after the stream has begun; the stream then closes without `message_stop`. [interface decision 30] */
export function messagesFailure(fault: Fault, requestId: string): Buffer {
  return messagesEvent({ ...formatBBody(fault, requestId), type: "error" });
}

/** One event. The official client passes over events that have no name. */
export function messagesEvent(data: { type: string } & Record<string, unknown>): Buffer {
  return Buffer.from(`event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`);
}
