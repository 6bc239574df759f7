import type { ClientDialect } from "../../src/core/request/dialect.ts";
import { readChatRequest } from "../../src/wire/chat/chat-request.ts";
import type { GenerationRequest } from "../../src/wire/generation-request.ts";
import { parseBody, type ParsedBody } from "../../src/wire/json/parse-body.ts";
import { readMessagesRequest } from "../../src/wire/messages/messages-request.ts";
import { readResponsesRequest } from "../../src/wire/responses/responses-request.ts";
import { callerStamp } from "../support/seals.ts";

const MESSAGES = { messages: [{ role: "user", content: "hi" }] };
const STREAMED: Record<ClientDialect, object> = {
  chat: { ...MESSAGES, stream: true, stream_options: { include_usage: true } },
  responses: { input: "hi", stream: true },
  messages: { ...MESSAGES, stream: true },
};

function read(client: ClientDialect, parsed: ParsedBody): GenerationRequest {
  if (client === "responses") return readResponsesRequest(parsed);
  return client === "messages" ? readMessagesRequest(parsed, {}) : readChatRequest(parsed);
}

/** A request as its route's reader has read it; without a body, one for a stream. */
export function requestOf(client: ClientDialect, body: object = STREAMED[client]): GenerationRequest {
  const parsed = parseBody(Buffer.from(JSON.stringify({ model: "public", ...body })), 64);
  return { ...read(client, parsed), stamp: callerStamp() };
}
