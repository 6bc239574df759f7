import { expect, test } from "vitest";
import type { ClientDialect } from "../../core/request/dialect.ts";
import { readChatRequest } from "../../wire/chat/chat-request.ts";
import type { GenerationRequest } from "../../wire/generation-request.ts";
import { parseBody } from "../../wire/json/parse-body.ts";
import { readMessagesRequest } from "../../wire/messages/messages-request.ts";
import { readResponsesRequest } from "../../wire/responses/responses-request.ts";
import { pickTranslator } from "../pick-translator.ts";

/** An id as many services have them, which no double can hold. */
const ID = "1234567890123456789";
const MOST = "9223372036854775807";
const ORIGIN = { requestId: "req_1", createdAtSeconds: 1 };
const SCHEMA = `{"type":"object","properties":{"id":{"type":"integer","maximum":${MOST}}}}`;

/** A call that was made with such an id, of a tool whose schema has such a bound. */
const BODIES: Record<ClientDialect, string> = {
  chat: `"messages":[{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\\"id\\":${ID}}"}}]}],"tools":[{"type":"function","function":{"name":"f","parameters":${SCHEMA}}}]`,
  responses: `"input":[{"type":"function_call","call_id":"a","name":"f","arguments":"{\\"id\\":${ID}}"}],"tools":[{"type":"function","name":"f","parameters":${SCHEMA}}]`,
  messages: `"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{"id":${ID}}}]}],"tools":[{"name":"f","input_schema":${SCHEMA}}]`,
};

function requestOf(client: ClientDialect): GenerationRequest {
  const parsed = parseBody(Buffer.from(`{"model":"public",${BODIES[client]}}`), 64);
  if (client === "responses") return readResponsesRequest(parsed);
  return client === "messages" ? readMessagesRequest(parsed, {}) : readChatRequest(parsed);
}

const ANSWERS: Record<ClientDialect, string> = {
  chat: `{"choices":[{"index":0,"message":{"tool_calls":[{"id":"b","type":"function","function":{"name":"f","arguments":"{\\"id\\":${ID}}"}}]},"finish_reason":"tool_calls"}]}`,
  responses: `{"object":"response","status":"completed","output":[{"type":"function_call","call_id":"b","name":"f","arguments":"{\\"id\\":${ID}}"}]}`,
  messages: `{"type":"message","content":[{"type":"tool_use","id":"b","name":"f","input":{"id":${ID}}}],"stop_reason":"tool_use"}`,
};

const DIALECTS: readonly ClientDialect[] = ["chat", "responses", "messages"];
const PAIRS = DIALECTS.flatMap((client) =>
  DIALECTS.filter((provider) => provider !== client).map((provider) => [client, provider] as const),
);

test.each(PAIRS)("no number in a call or a schema is rounded on the way from %s to %s and back", (client, provider) => {
  const translator = pickTranslator(client, { dialect: provider, conformant: true });
  const sent = translator.request(requestOf(client), { upstreamModel: "theirs", maxOutputTokens: 500 }).toString();
  const given = translator.plain(Buffer.from(ANSWERS[provider]), requestOf(client), ORIGIN).bytes.toString();

  expect(sent).toContain(ID);
  expect(sent).toContain(MOST);
  expect(given).toContain(ID);
});
