import { isObject } from "../../core/bytes/is-object.ts";
import type { Json } from "../../core/bytes/json.ts";
import { free, type OutputMembers, SAID, textOf, WHY } from "../collect-generated.ts";
import { type GeneratedPiece, moreOf } from "../output-meter.ts";

/** Of a whole answer, and of every kind of event. */
const ANSWER: OutputMembers = {
  ...free(WHY.apart, "output", "start", "delta"),
  ...free(
    WHY.envelope,
    "role",
    "stopReason",
    "contentBlockIndex",
    "metrics",
    "trace",
    "performanceConfig",
    "__type",
    "message",
  ),
  ...free(WHY.echo, "serviceTier", "additionalModelResponseFields"),
  ...free(WHY.counts, "usage"),
  ...free(WHY.padding, "p"),
};

const THOUGHT: OutputMembers = {
  ...free(WHY.opaque, "signature", "redactedContent"),
  text: { kind: "thought" },
  reasoningText: { inside: { ...free(WHY.opaque, "signature"), text: { kind: "thought" } } },
};

const CALL: OutputMembers = { ...free(WHY.envelope, "toolUseId", "type"), name: SAID, input: SAID };

/** Of a block, of the beginning of one, and of a delta. */
const BLOCK: OutputMembers = {
  ...free(WHY.read, "citation", "toolResult", "searchResult"),
  ...free(WHY.media, "image", "video", "audio", "document"),
  ...free(WHY.echo, "cachePoint", "guardContent"),
  text: SAID,
  toolUse: { inside: CALL },
  reasoningContent: { inside: THOUGHT },
  citationsContent: { inside: free(WHY.read, "citations") },
};

/** All that is known of the members of this format. */
export const CONVERSE_OUTPUT: readonly OutputMembers[] = [ANSWER, BLOCK, THOUGHT, CALL];

/** What the model wrote in an event, or in a whole answer. */
export function readConverseGenerated(event: Json): GeneratedPiece[] {
  const { output, start, delta } = event;
  const item = [textOf(event["contentBlockIndex"])];
  const generated = [moreOf([""], event, ANSWER)];
  if (start != null) generated.push(moreOf(item, start, BLOCK));
  if (delta != null) generated.push(moreOf(item, delta, BLOCK));
  if (output == null) return generated;
  const message = isObject(output) ? output["message"] : output;
  const content = isObject(message) ? message["content"] : message;
  if (!Array.isArray(content)) return [...generated, moreOf([""], content, {})];
  return [...generated, ...content.map((block: unknown, at) => moreOf([String(at)], block, BLOCK))];
}
