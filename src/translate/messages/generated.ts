import { isObject } from "../../core/bytes/is-object.ts";
import type { Json } from "../../core/bytes/json.ts";
import { free, type OutputMembers, SAID, textOf, THOUGHT, WHY } from "../collect-generated.ts";
import { type GeneratedPiece, moreOf } from "../output-meter.ts";

/** Of a whole answer, or of the beginning of one. */
const MESSAGE: OutputMembers = {
  ...free(WHY.apart, "content"),
  ...free(
    WHY.envelope,
    "id",
    "type",
    "role",
    "model",
    "stop_reason",
    "stop_details",
    "container",
    "amazon-bedrock-invocationMetrics",
  ),
  ...free(WHY.echo, "stop_sequence", "service_tier"),
  ...free(WHY.counts, "usage", "context_management", "diagnostics"),
};

const EVENT: OutputMembers = {
  ...free(WHY.envelope, "type", "index"),
  ...free(WHY.apart, "message", "content_block", "delta"),
  ...free(WHY.counts, "usage", "context_management", "amazon-bedrock-invocationMetrics"),
  ...free(WHY.padding, "p"),
};

const BLOCK: OutputMembers = {
  ...free(WHY.envelope, "type", "id", "server_name", "tool_use_id", "caller", "file_id", "from", "to"),
  ...free(WHY.opaque, "signature", "data", "encrypted_content"),
  ...free(WHY.read, "citations"),
  ...free(WHY.echo, "cache_control"),
  text: SAID,
  thinking: THOUGHT,
  name: SAID,
  input: SAID,
};

const RESULT: OutputMembers = {
  ...free(WHY.envelope, "type", "id", "tool_use_id", "caller"),
  ...free(WHY.read, "content", "is_error"),
};

const DELTA: OutputMembers = {
  ...free(WHY.envelope, "type"),
  ...free(WHY.opaque, "signature", "data", "encrypted_content"),
  ...free(WHY.read, "citation", "citations"),
  text: SAID,
  partial_json: SAID,
  thinking: THOUGHT,
};

/** All that is known of the members of this format. */
export const MESSAGES_OUTPUT: readonly OutputMembers[] = [EVENT, MESSAGE, BLOCK, RESULT, DELTA];

/** What the model wrote in an event, or in a whole answer. */
export function readMessagesGenerated(event: Json): GeneratedPiece[] {
  if (event["type"] === "message") return readMessage(event);
  const { message, content_block: block, delta } = event;
  const item = [textOf(event["index"])];
  const generated = [moreOf([""], event, EVENT)];
  if (message != null) generated.push(...readMessage(message));
  if (block != null) generated.push(moreOf(item, block, membersOf(block)));
  // Deltas are of a block, but for the one that ends the message.
  if (delta != null)
    generated.push(...(event["type"] === "message_delta" ? readMessage(delta) : [moreOf(item, delta, DELTA)]));
  return generated;
}

function readMessage(message: unknown): GeneratedPiece[] {
  const own = moreOf([""], message, MESSAGE);
  const content = isObject(message) ? message["content"] : undefined;
  if (!Array.isArray(content)) return [own, moreOf([""], content, {})];
  return [own, ...content.map((block: unknown, at) => moreOf([String(at)], block, membersOf(block)))];
}

/** Results are those of the provider's own tools: a caller's come in the request. */
const membersOf = (block: unknown): OutputMembers =>
  isObject(block) && typeof block["type"] === "string" && block["type"].endsWith("_tool_result") ? RESULT : BLOCK;
