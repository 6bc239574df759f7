import { messagesEvent, MESSAGE_STOP } from "../../src/wire/messages/messages-stream.ts";
import { responsesEvent } from "../../src/wire/responses/responses-stream.ts";
import { CHAT_COMPLETION, MESSAGE, RESPONSES_RESULT } from "./examples.ts";

/** Streams as they arrive, shortened to a word. Events of named kinds are written by what writes them in earnest. */
export const CHAT_STREAM = [
  chunk({ delta: { role: "assistant", content: "" }, finish_reason: null }),
  chunk({ delta: { content: "A place" }, finish_reason: null }),
  chunk({ delta: {}, finish_reason: "stop" }),
  "data: [DONE]\n\n",
].join("");

export const RESPONSES_STREAM = [
  { type: "response.created", response: { ...RESPONSES_RESULT, status: "in_progress", output: [], usage: null } },
  { type: "response.output_text.delta", item_id: "msg_7Qm3", output_index: 0, content_index: 0, delta: "A place" },
  { type: "response.completed", response: RESPONSES_RESULT },
]
  .map((event, index) => responsesEvent({ ...event, sequence_number: index }).toString())
  .join("");

export const MESSAGES_STREAM = [
  messagesEvent({ type: "message_start", message: { ...MESSAGE, content: [], stop_reason: null } }),
  messagesEvent({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
  messagesEvent({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "A place" } }),
  messagesEvent({ type: "content_block_stop", index: 0 }),
  messagesEvent({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 12 } }),
  MESSAGE_STOP,
].join("");

function chunk(choice: object): string {
  const { id, created, model } = CHAT_COMPLETION;
  const value = { id, object: "chat.completion.chunk", created, model, choices: [{ index: 0, ...choice }] };
  return `data: ${JSON.stringify(value)}\n\n`;
}
