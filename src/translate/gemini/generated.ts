import { isObject } from "../../core/bytes/is-object.ts";
import type { Json } from "../../core/bytes/json.ts";
import { free, type OutputMembers, SAID, WHY } from "../collect-generated.ts";
import { type GeneratedPiece, moreOf } from "../output-meter.ts";

const ANSWER: OutputMembers = {
  ...free(WHY.apart, "candidates"),
  ...free(
    WHY.envelope,

    "modelVersion",
    "responseId",
    "createTime",
    "promptFeedback",
    "modelStatus",
    "trafficType",
  ),
  ...free(WHY.counts, "usageMetadata"),
};

const CANDIDATE: OutputMembers = {
  ...free(WHY.apart, "content"),
  ...free(WHY.envelope, "finishReason", "finishMessage", "index", "safetyRatings", "tokenCount"),
  ...free(WHY.read, "citationMetadata", "groundingMetadata", "groundingAttributions", "urlContextMetadata"),
  ...free(WHY.beside, "avgLogprobs", "logprobsResult"),
};

const PART: OutputMembers = {
  ...free(WHY.envelope, "thought", "videoMetadata", "partMetadata"),
  ...free(WHY.opaque, "thoughtSignature"),
  ...free(WHY.read, "codeExecutionResult", "functionResponse"),
  ...free(WHY.media, "inlineData", "fileData"),
  text: SAID,
  functionCall: {
    inside: {
      ...free(WHY.envelope, "id", "willContinue"),
      name: SAID,
      args: SAID,
      partialArgs: { inside: free(WHY.envelope, "jsonPath", "willContinue") },
    },
  },
  executableCode: { inside: { ...free(WHY.envelope, "language", "id"), code: SAID } },
};

/** All that is known of the members of this format. */
export const GEMINI_OUTPUT: readonly OutputMembers[] = [ANSWER, CANDIDATE, PART];

/** What the model wrote in a chunk, or in a whole answer. */
export function readGeminiGenerated(answer: Json): GeneratedPiece[] {
  const { candidates } = answer;
  const generated = [moreOf([""], answer, ANSWER)];
  if (!Array.isArray(candidates)) return [...generated, moreOf([""], candidates, {})];
  for (const [at, candidate] of candidates.entries()) {
    const item = [String(at)];
    generated.push(moreOf(item, candidate, CANDIDATE));
    const content: unknown = isObject(candidate) ? candidate["content"] : undefined;
    if (!isObject(content)) {
      generated.push(moreOf(item, content, {}));
      continue;
    }
    generated.push(moreOf(item, content, { ...free(WHY.envelope, "role"), ...free(WHY.apart, "parts") }));
    const { parts } = content;
    for (const part of Array.isArray(parts) ? parts : [parts]) {
      const isThought = isObject(part) && part["thought"] === true;
      generated.push(moreOf(item, part, isThought ? THINKING : PART));
    }
  }
  return generated;
}

const THINKING: OutputMembers = { ...PART, text: { kind: "thought" } };
