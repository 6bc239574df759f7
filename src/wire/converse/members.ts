import { leaf } from "../members/foreign-shapes.ts";
import {
  CACHED_CONTENT,
  FILE,
  FOREIGN,
  type MemberRefusal,
  REMOTE_TOOL,
  RETRIES,
  unpriced,
  unsupported,
} from "../members/refusal.ts";
import { type Shape, shapeOf } from "../members/shape.ts";

/** What is kept in a bucket is read by the rights of our account, and nobody has counted it. */
const SOURCE = shapeOf({ optional: "bytes", refused: { s3Location: FILE, text: FILE, content: FILE } });

const MEDIA = shapeOf({
  required: "format source",
  optional: "name",
  inside: { source: () => SOURCE },
  refused: { citations: unsupported("Citations of documents"), context: unsupported("Notes on documents") },
});

const CHECKED = unpriced("A check by a guardrail");
const SEARCHED = unsupported("Search results as content", "Send them as text.");

const RESULT = shapeOf({
  required: "toolUseId content",
  optional: "status",
  inside: {
    content: () =>
      shapeOf({
        optional: "text json image document",
        inside: { image: () => MEDIA, document: () => MEDIA },
        refused: { video: unpriced("Video input"), searchResult: SEARCHED },
      }),
  },
});

const BLOCK = shapeOf({
  optional: "text image document toolUse toolResult reasoningContent cachePoint",
  inside: {
    image: () => MEDIA,
    document: () => MEDIA,
    toolUse: leaf("toolUseId name input"),
    toolResult: () => RESULT,
    reasoningContent: leaf("reasoningText redactedContent"),
    cachePoint: leaf("type ttl"),
  },
  refused: {
    video: unpriced("Video input"),
    audio: unpriced("Audio input"),
    guardContent: CHECKED,
    searchResult: SEARCHED,
    citationsContent: unsupported("Citations of documents"),
  },
});

/** Tools other than the caller's own are run by the provider, at a price and with powers we do not know. */
const TOOL = shapeOf({
  optional: "toolSpec cachePoint",
  inside: { toolSpec: leaf("name description inputSchema"), cachePoint: leaf("type ttl") },
  refused: { systemTool: REMOTE_TOOL },
});

const MODEL_FIELD_NAMES: ReadonlySet<string> = new Set([
  "thinking",
  "output_config",
  "reasoning_effort",
  "reasoningConfig",
]);
const UNKNOWN_FIELD: MemberRefusal = unpriced("This field of the model's own format");

/** What goes to a model in its own words, which Amazon does not read: only what says how much it is to think. */
const MODEL_FIELDS = shapeOf({
  optional: [...MODEL_FIELD_NAMES].join(" "),
  inside: {
    thinking: leaf("type budget_tokens display"),
    output_config: leaf("effort"),
    reasoningConfig: leaf("type maxReasoningEffort"),
  },
  whole: (fields) => {
    const stranger = Object.keys(fields).find((name) => !MODEL_FIELD_NAMES.has(name));
    return stranger === undefined ? null : [stranger, UNKNOWN_FIELD];
  },
});

/** What a request may hold. No caller speaks this format, so that only what is written here is known. */
export const CONVERSE_MEMBERS: Shape = shapeOf({
  required: "messages",
  optional: "inferenceConfig toolConfig outputConfig additionalModelRequestFields",
  lists: "system additionalModelResponseFieldPaths",
  inside: {
    messages: () => shapeOf({ required: "role content", inside: { content: () => BLOCK } }),
    system: () => BLOCK,
    inferenceConfig: leaf("maxTokens temperature topP stopSequences"),
    toolConfig: () => shapeOf({ required: "tools", optional: "toolChoice", inside: { tools: () => TOOL } }),
    outputConfig: leaf("textFormat"),
    additionalModelRequestFields: () => MODEL_FIELDS,
  },
  dropped: RETRIES,
  refused: {
    ...FOREIGN,
    serviceTier: unpriced("A choice of service tier"),
    service_tier: unpriced("A choice of service tier"),
    performanceConfig: unpriced("A choice of latency"),
    guardrailConfig: CHECKED,
    promptVariables: unsupported("Stored prompts", "Send the prompt itself."),
    requestMetadata: unsupported("Labels in the provider's logs"),
    cachedContent: CACHED_CONTENT,
  },
});
