import { foreignBody, FOREIGN_MEDIA, foreignMedia, foreignParts, leaf } from "../members/foreign-shapes.ts";
import { wrongSource } from "../members/media-address.ts";
import {
  AUDIO_INPUT,
  AUDIO_OUTPUT,
  FILE,
  FOREIGN,
  oneOf,
  ANY_SEARCH,
  anyTier,
  RETRIES,
  toolsOtherThan,
  unsupported,
} from "../members/refusal.ts";
import { type Shape, shapeOf } from "../members/shape.ts";

/** `cache_control` is Anthropic's, and is told in this format too. */
const CACHE_BREAK = leaf("mode ttl");
const CACHE_CONTROL = leaf("type ttl");

const IMAGE_URL = shapeOf({ required: "url", optional: "detail", images: "url" });
const FILE_PART = shapeOf({ optional: "file_data file_id filename", bytes: "file_data", refused: { file_id: FILE } });

/** Of what somebody said, or of what a tool returned. */
const PART: Shape = shapeOf({
  required: "type",
  optional: "text refusal image_url input_audio file cache_control prompt_cache_breakpoint",
  images: "image_url",
  addresses: FOREIGN_MEDIA,
  inside: {
    ...foreignParts,
    ...foreignMedia,
    image_url: () => IMAGE_URL,
    file: () => FILE_PART,
    cache_control: CACHE_CONTROL,
    prompt_cache_breakpoint: CACHE_BREAK,
    source: () => SOURCE,
  },
  refused: { type: AUDIO_INPUT, file_id: FILE },
  whole: wrongSource,
});
const SOURCE = shapeOf({ refused: { s3Location: FILE, file_id: FILE }, addresses: "url" });

const CALL = shapeOf({
  required: "id type function custom",
  optional: "index extra_content",
  inside: { function: leaf("name arguments"), custom: leaf("name input") },
});

/** What was thought is given out by us, and by many providers, beside what the format has. */
const MESSAGE = shapeOf({
  required: "role content",
  optional: "name tool_call_id refusal audio function_call reasoning reasoning_content",
  lists: "tool_calls annotations reasoning_details",
  inside: {
    content: () => PART,
    tool_calls: () => CALL,
    audio: () => AUDIO,
    function_call: leaf("name arguments"),
  },
});
const AUDIO = shapeOf({
  required: "id",
  optional: "data expires_at transcript",
  refused: { id: unsupported("References to stored audio", "Send the transcript as `content`.") },
});

const GRAMMAR = shapeOf({ required: "type", optional: "grammar", inside: { grammar: leaf("definition syntax") } });
const CUSTOM = shapeOf({ required: "name", optional: "description format", inside: { format: () => GRAMMAR } });

/** Tools the caller runs itself. Any other kind is run by the provider, at a price and with powers we do not know. */
const TOOL = shapeOf({
  required: "type function custom",
  optional: "cache_control",
  inside: {
    function: leaf("name description parameters strict"),
    custom: () => CUSTOM,
    cache_control: CACHE_CONTROL,
  },
  refused: { type: toolsOtherThan(oneOf("function", "custom")) },
});

const TOOL_CHOICE = shapeOf({
  required: "type function custom allowed_tools",
  inside: {
    function: leaf("name"),
    custom: leaf("name"),
    allowed_tools: () => ALLOWED_TOOLS,
  },
});
const ALLOWED_TOOLS = shapeOf({ required: "mode tools" });

const RESPONSE_FORMAT = shapeOf({
  required: "type json_schema",
  inside: { json_schema: leaf("name description schema strict") },
});

const MODERATION = shapeOf({ required: "model", optional: "policy" });
const PREDICTION = shapeOf({ required: "type content", inside: { content: () => PART } });

/**
 * What a chat completion request may hold: the members of the official client's types, and what we and other providers give out
 * for callers to send back. Everything else is unknown here, and is told to a provider only where its row says so. [interface decision 10]
 */
export const CHAT_MEMBERS: Shape = shapeOf({
  required: "model messages",
  optional: `stream stream_options max_tokens max_completion_tokens temperature top_p n seed frequency_penalty
    presence_penalty logit_bias logprobs top_logprobs tool_choice parallel_tool_calls function_call
    response_format reasoning_effort verbosity audio prediction metadata store user safety_identifier
    prompt_cache_key prompt_cache_options prompt_cache_retention service_tier moderation web_search_options speed`,
  lists: "tools stop functions modalities",
  inside: {
    ...foreignBody,
    messages: () => MESSAGE,
    stream_options: leaf("include_usage include_obfuscation"),
    tools: () => TOOL,
    tool_choice: () => TOOL_CHOICE,
    functions: leaf("name description parameters"),
    function_call: leaf("name"),
    response_format: () => RESPONSE_FORMAT,
    prediction: () => PREDICTION,
    prompt_cache_options: leaf("mode ttl"),
    moderation: () => MODERATION,
    web_search_options: leaf("search_context_size user_location"),
  },
  dropped: RETRIES,
  refused: {
    ...FOREIGN,
    modalities: AUDIO_OUTPUT,
    service_tier: anyTier("auto", "default"),
    web_search_options: ANY_SEARCH,
  },
});
