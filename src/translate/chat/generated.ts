import { isObject } from "../../core/bytes/is-object.ts";
import type { Json } from "../../core/bytes/json.ts";
import { collectGenerated, free, type OutputMembers, SAID, textOf, THOUGHT, WHY } from "../collect-generated.ts";
import { type GeneratedPiece, moreOf } from "../output-meter.ts";

/** Of a chunk or a whole answer, beside its choices. */
const ANSWER: OutputMembers = {
  ...free(
    WHY.envelope,
    "id",
    "object",
    "created",
    "model",
    "system_fingerprint",
    "provider",
    "request_id",
    "nonce",
    "kv_transfer_params",
  ),
  ...free(WHY.apart, "choices"),
  ...free(WHY.echo, "service_tier", "metadata", "prompt_token_ids", "prompt_logprobs", "prompt_filter_results"),
  ...free(WHY.counts, "usage", "x_groq", "time_info", "timings", "usage_breakdown"),
  ...free(WHY.padding, "obfuscation", "p"),
  ...free(WHY.read, "citations", "search_results", "images", "content_filter_results"),
};

const CHOICE: OutputMembers = {
  ...free(
    WHY.envelope,
    "index",
    "finish_reason",
    "native_finish_reason",
    "stop_reason",
    "matched_stop",
    "content_filter_results",
  ),
  ...free(WHY.envelope, "content_filter_offsets", "seed"),
  ...free(WHY.apart, "delta", "message"),
  ...free(WHY.beside, "logprobs", "token_ids"),
};

/** Of content that is a list of parts. */
const PART: OutputMembers = {
  ...free(WHY.envelope, "type", "index", "id"),
  ...free(WHY.read, "reference_ids", "citations", "annotations", "file_ids"),
  ...free(WHY.opaque, "signature", "encrypted_content"),
  ...free(WHY.media, "image_url", "input_audio"),
  text: SAID,
  refusal: SAID,
  thinking: {
    kind: "thought",
    inside: { ...free(WHY.envelope, "type", "closed"), ...free(WHY.opaque, "signature"), text: THOUGHT },
  },
};

/** Some providers say a thought under two names. */
const DETAILS: OutputMembers = {
  ...free(WHY.envelope, "type", "format", "index", "id"),
  ...free(WHY.opaque, "signature", "data"),
  text: THOUGHT,
  summary: THOUGHT,
};

/** What some gateways repeat of a message in the words of its provider. */
const FIELDS: OutputMembers = {
  ...free(WHY.read, "citation", "citations"),
  thinking_blocks: { kind: "thought", once: "thoughts", inside: DETAILS },
  reasoning_content: { kind: "thought", once: "thoughts" },
};

/** A tool that the provider ran: what the model asked of it, and what it answered. */
const EXECUTED: OutputMembers = {
  ...free(WHY.envelope, "index", "type", "name"),
  ...free(WHY.read, "output", "search_results", "code_results", "browser_results"),
};

const MESSAGE: OutputMembers = {
  ...free(WHY.apart, "tool_calls", "function_call"),
  ...free(WHY.envelope, "role", "index", "tool_call_id", "prefix", "phase"),
  ...free(WHY.read, "annotations", "citations", "tool_results", "search_results"),
  ...free(WHY.media, "images"),
  ...free(WHY.opaque, "thought_signature", "extra_content", "reasoning_opaque", "encrypted_content"),
  content: { inside: PART },
  refusal: SAID,
  audio: { inside: { ...free(WHY.envelope, "id", "expires_at"), ...free(WHY.media, "data"), transcript: SAID } },
  reasoning_content: { kind: "thought", once: "thoughts" },
  reasoning: { kind: "thought", once: "thoughts" },
  reasoning_text: { kind: "thought", once: "thoughts" },
  reasoning_details: { kind: "thought", once: "thoughts", inside: DETAILS },
  thinking_blocks: { kind: "thought", once: "thoughts", inside: DETAILS },
  provider_specific_fields: { kind: "thought", once: "thoughts", inside: FIELDS },
  executed_tools: { inside: EXECUTED },
};

/** A call, without the name of its tool, which some providers repeat with every piece. */
const CALLED: OutputMembers = {
  ...free(WHY.envelope, "index", "id", "type"),
  ...free(WHY.apart, "name"),
  ...free(WHY.opaque, "extra_content"),
};
const CALL: OutputMembers = {
  ...CALLED,
  function: { inside: CALLED },
  custom: { inside: CALLED },
};

/** All that is known of the members of this format. */
export const CHAT_OUTPUT: readonly OutputMembers[] = [ANSWER, CHOICE, MESSAGE, PART, DETAILS, FIELDS, EXECUTED, CALL];

/** What the model wrote in a chunk, or in a whole answer. */
export function readChatGenerated(answer: Json): GeneratedPiece[] {
  const { choices } = answer;
  const generated = [moreOf([""], answer, ANSWER)];
  if (!Array.isArray(choices)) return [...generated, moreOf([""], choices, {}, "choices")];
  for (const [at, choice] of choices.entries()) {
    if (!isObject(choice)) {
      generated.push(moreOf([""], choice, {}, "choices"));
      continue;
    }
    const item = [textOf(choice["index"] ?? at)];
    generated.push(moreOf(item, choice, CHOICE));
    if (choice["delta"] != null) readMessage(choice["delta"], item, "more", generated);
    if (choice["message"] != null) readMessage(choice["message"], item, "whole", generated);
  }
  return generated;
}

function readMessage(
  message: unknown,
  item: readonly string[],
  form: GeneratedPiece["form"],
  generated: GeneratedPiece[],
): void {
  generated.push({ item, part: "", form, ...collectGenerated(message, MESSAGE) });
  if (!isObject(message)) return;
  const { tool_calls: calls, function_call: call } = message;
  for (const [at, one] of listOf(calls).entries()) {
    const place = `call ${isObject(one) ? textOf(one["index"] ?? at) : at}`;
    generated.push({ item, part: place, form, ...collectGenerated(one, CALL) });
    generated.push(...namesIn(one, item, place));
  }
  if (call == null) return;
  generated.push(
    { item, part: "call", form, ...collectGenerated(call, CALLED) },
    ...namesIn({ function: call }, item, "call"),
  );
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : value == null ? [] : [value]);

/** A name that comes again is that of the same call, unless its id is another. Some providers number all of their calls alike. */
function namesIn(call: unknown, item: readonly string[], place: string): GeneratedPiece[] {
  if (!isObject(call)) return [];
  return [call, call["function"], call["custom"]].flatMap((one): GeneratedPiece[] => {
    const name = isObject(one) ? textOf(one["name"]) : "";
    return [{ item, part: `${place} ${textOf(call["id"])} ${name}`, form: "whole", said: name, thought: "" }];
  });
}
