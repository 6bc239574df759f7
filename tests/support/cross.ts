import type { ClientDialect, ProviderDialect } from "../../src/core/request/dialect.ts";
import { type AnswerStage, DROP, FAILED, PASS, TERMINAL } from "../../src/translate/answer-stage.ts";
import type { Told } from "../../src/translate/translator.ts";
import { pickTranslator } from "../../src/translate/pick-translator.ts";
import { readChatRequest } from "../../src/wire/chat/chat-request.ts";
import type { GenerationRequest } from "../../src/wire/generation-request.ts";
import { parseBody, type ParsedBody } from "../../src/wire/json/parse-body.ts";
import { readMessagesRequest } from "../../src/wire/messages/messages-request.ts";
import { readResponsesRequest } from "../../src/wire/responses/responses-request.ts";
import { EventSplitter } from "../../src/wire/sse/event-splitter.ts";
import { framedConverse } from "./converse-event.ts";
import { callerStamp } from "./seals.ts";

type Json = Record<string, unknown>;
const ORIGIN = { requestId: "req_1", createdAtSeconds: 1, upstreamModel: "theirs" };
const MESSAGES = { messages: [{ role: "user", content: "hi" }] };
const ASKED: Record<ClientDialect, Json> = {
  chat: { ...MESSAGES, stream_options: { include_usage: true } },
  messages: MESSAGES,
  responses: { input: "hi" },
};

function read(client: ClientDialect, parsed: ParsedBody): GenerationRequest {
  if (client === "responses") return readResponsesRequest(parsed);
  return client === "messages" ? readMessagesRequest(parsed, {}) : readChatRequest(parsed);
}

function requestOf(client: ClientDialect, body: Json): GenerationRequest {
  const parsed = parseBody(Buffer.from(JSON.stringify({ model: "public", ...body })), 64);
  return { ...read(client, parsed), stamp: callerStamp() };
}

/** A caller of one format and a provider of another, with nothing between them but the translation; `more` is always asked. */
export function cross(client: ClientDialect, provider: ProviderDialect, more: Json = {}) {
  const asked = { ...ASKED[client], ...more };
  const translator = pickTranslator(client, { dialect: provider, conformant: true });
  return {
    /** What the provider is sent for the caller's body. */
    sent: (body: Json, changes: Partial<Told> = {}): Json => {
      const told = { upstreamModel: "theirs", maxOutputTokens: 500, ...changes };
      return JSON.parse(translator.request(requestOf(client, { ...asked, ...body }), told).toString()) as Json;
    },
    /** What the caller is given for the provider's whole answer. */
    whole: (answer: Json): Json => {
      const bytes = Buffer.from(JSON.stringify(answer));
      return JSON.parse(translator.plain(bytes, requestOf(client, asked), ORIGIN).bytes.toString()) as Json;
    },
    /** The data of the events the caller is given for the provider's; null when the stream has failed. */
    events: (...data: readonly Json[]): Json[] | null => {
      const stage = translator.stage(requestOf(client, { ...asked, stream: true }), ORIGIN);
      const text = relayed(stage, framed(provider, data));
      return text === null ? null : dataOf(text);
    },
  };
}

/** The bytes a provider of this dialect sends for these data. */
function framed(provider: ProviderDialect, data: readonly Json[]): Buffer {
  if (provider === "gemini") return Buffer.from(data.map((item) => `data: ${JSON.stringify(item)}\r\n\r\n`).join(""));
  if (provider === "converse") return Buffer.from(framedConverse(data));
  const lines = data.map((item) => `event: ${String(item["type"])}\ndata: ${JSON.stringify(item)}\n\n`);
  if (provider !== "chat") return Buffer.from(lines.join(""));
  return Buffer.from(`${data.map((item) => `data: ${JSON.stringify(item)}\n\n`).join("")}data: [DONE]\n\n`);
}

function relayed(stage: AnswerStage, bytes: Buffer): string | null {
  let text = "";
  let over: "whole" | "failed" | null = null;
  const splitter = new EventSplitter((buffer, start, end) => {
    if (over !== null) return;
    const verdict = stage.event(buffer, start, end);
    if (verdict === TERMINAL) over = "whole";
    else if (verdict === FAILED) over = "failed";
    else if (verdict !== DROP && verdict !== PASS) text += verdict.toString();
  }, 1_000_000);
  splitter.push(bytes);
  if (over === "failed") return null;
  const rest = stage.close();
  const terminal = stage.terminal();
  return terminal === null ? null : `${text}${rest?.toString() ?? ""}${terminal.toString()}`;
}

function dataOf(text: string): Json[] {
  return text
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .map((line) => JSON.parse(line.slice(6)) as Json);
}
