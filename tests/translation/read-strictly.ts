import type { ClientDialect } from "../../src/core/request/dialect.ts";
import { readChatStrictly } from "./read-chat-strictly.ts";
import { readMessagesStrictly } from "./read-messages-strictly.ts";
import { readResponsesStrictly } from "./read-responses-strictly.ts";
import { eventsOf, type Json, type ReadStream } from "./stream-events.ts";

const READERS: Record<ClientDialect, (events: readonly Json[]) => ReadStream> = {
  chat: readChatStrictly,
  responses: readResponsesStrictly,
  messages: readMessagesStrictly,
};

/**
 * Reads a stream as the strictest of clients would: every rule of its format that a client may rely on is asserted. Written
 * apart from the product, and less forgiving than any official client.
 */
export function readStrictly(dialect: ClientDialect, stream: string): ReadStream {
  return READERS[dialect](eventsOf(dialect, stream));
}
