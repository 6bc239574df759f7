import { foreignBody, FOREIGN_MEDIA, foreignMedia, foreignParts, leaf } from "../members/foreign-shapes.ts";
import { wrongSource } from "../members/media-address.ts";
import {
  AUDIO_INPUT,
  AUDIO_OUTPUT,
  CONTAINER,
  FILE,
  FOREIGN,
  type MemberRefusal,
  oneOf,
  anyTier,
  REMOTE_TOOL,
  RETRIES,
  toolsOrSearches,
  toolsOtherThan,
  unsupported,
  VECTOR_STORE,
} from "../members/refusal.ts";
import { RESPONSES_SEARCH } from "../members/search-types.ts";
import { type Shape, shapeOf } from "../members/shape.ts";

const CACHE_BREAK = leaf("mode ttl");

/** Tools the caller runs itself, alone or in a namespace. Any other kind is run by the provider, at a price we do not know. */
const TOOL_KINDS = ["function", "custom", "local_shell", "shell", "apply_patch", "computer", "computer_use_preview"];
const isOfCaller = oneOf(...TOOL_KINDS, "tool_search", "namespace");
const BROUGHT = toolsOtherThan(isOfCaller);
/** Searches may be listed, where a price has them; items of a conversation cannot bring them. */
const LISTED = toolsOrSearches(isOfCaller, RESPONSES_SEARCH);
const IN_NAMESPACE = toolsOtherThan(oneOf(...TOOL_KINDS, "tool_search"));

const ENVIRONMENT = shapeOf({
  required: "type",
  optional: "skills container_id file_ids memory_limit network_policy",
  inside: { skills: () => SKILL },
  refused: {
    type: { ...unsupported("Environments that the provider runs", "Use the type 'local'."), unless: oneOf("local") },
    container_id: CONTAINER,
    file_ids: FILE,
  },
});
const SKILL = shapeOf({
  required: "name description path",
  optional: "type version source",
  refused: { skill_id: CONTAINER },
});
const FORMAT = leaf("type definition syntax");

const toolShape = (kinds: MemberRefusal, members: () => Shape): Shape =>
  shapeOf({
    required: "type name parameters strict tools vector_store_ids",
    optional: `description format execution defer_loading allowed_callers async output_schema environment display_height
      display_width filters max_num_results ranking_options search_context_size user_location external_web_access
      search_content_types server_label server_url server_description connector_id tunnel_id authorization headers
      allowed_tools require_approval container action background complexity frame_count frame_duration_ms input_fidelity
      input_image_mask model moderation output_compression output_format partial_images quality size svg input_schema
      annotations`,
    inside: { tools: members, environment: () => ENVIRONMENT, format: FORMAT },
    refused: {
      vector_store_ids: VECTOR_STORE,
      container: CONTAINER,
      server_url: REMOTE_TOOL,
      connector_id: REMOTE_TOOL,
      tunnel_id: REMOTE_TOOL,
      type: kinds,
    },
  });
const NAMESPACED: Shape = toolShape(IN_NAMESPACE, () => NAMESPACED);
const TOOL = toolShape(BROUGHT, () => NAMESPACED);
const LISTED_TOOL = toolShape(LISTED, () => NAMESPACED);

/** Of what somebody said, or of what came of a call. */
const PART = shapeOf({
  required: "type annotations",
  optional: `text refusal image_url detail file_id file_data file_url filename input_audio prompt_cache_breakpoint
    stdout stderr outcome`,
  lists: "logprobs",
  images: "image_url",
  documents: "file_url",
  addresses: FOREIGN_MEDIA,
  bytes: "file_data",
  inside: {
    ...foreignParts,
    ...foreignMedia,
    image_url: () => IMAGE_URL,
    annotations: () => ANNOTATION,
    prompt_cache_breakpoint: CACHE_BREAK,
    outcome: leaf("type exit_code"),
    source: () => SOURCE,
  },
  refused: { file_id: FILE, type: AUDIO_INPUT },
  whole: wrongSource,
});
/** What an answer cites. A file that it names lives in the account of the provider that gave the answer. */
const CITED_FILE = unsupported("References to files of a provider's account", "Remove this annotation.");
const ANNOTATION = shapeOf({
  required: "type",
  optional: "filename index start_index end_index title url",
  refused: { file_id: CITED_FILE, container_id: CITED_FILE },
});
const IMAGE_URL = shapeOf({ optional: "url detail", images: "url" });
const SOURCE = shapeOf({ refused: { s3Location: FILE, file_id: FILE }, addresses: "url" });

/** What clients do that believe in storing: the AI SDK names earlier items by default, others can be made to. */
const UNSTORED =
  "The gateway sends `store: false`, so send the item itself. AI SDK: set `providerOptions: { openai: { store: false } }`. OpenAI SDK: send `input: [...response.output, next]`.";

/** An approval answers a remote server's request; the other kind is a reference by its own name. */
const STORED_ITEM: MemberRefusal = {
  words: (type) =>
    type === "mcp_approval_response"
      ? "Remote MCP servers aren't supported. Remove this item."
      : `References to stored items aren't supported. ${UNSTORED}`,
  when: oneOf("item_reference", "mcp_approval_response"),
};
const ONLY_ID: MemberRefusal = {
  words: `An item with only an id refers to a stored item. Stored items aren't supported. ${UNSTORED}`,
};

const RESULT = shapeOf({ optional: "attributes filename score text", refused: { file_id: FILE } });
/** A call of a tool that the provider ran has its container in it, and is nothing without. */
const RUN_CONTAINER = unsupported("References to containers of a provider's account", "Remove this item.");

const ITEM = shapeOf({
  required: "type content output summary tools queries pending_safety_checks result code outputs",
  optional: `id status role phase call_id name namespace arguments input async caller execution encrypted_content results action
    actions acknowledged_safety_checks reasoning text background error output_format quality revised_prompt size svg_usage
    container_id environment max_output_length operation server_label approval_request_id approve reason fingerprint`,
  inside: {
    content: () => PART,
    output: () => PART,
    tools: () => TOOL,
    summary: leaf("type text"),
    caller: leaf("type caller_id"),
    environment: () => ENVIRONMENT,
    reasoning: leaf("effort"),
    text: () => TEXT,
    results: () => RESULT,
  },
  refused: { type: STORED_ITEM, container_id: RUN_CONTAINER },
  whole: storedItem,
});

/** By the official types, what has an id and says nothing else is a reference; so is a picture that is not there. */
function storedItem({ id, type, role, content, result }: Readonly<Record<string, unknown>>) {
  if (typeof id !== "string") return null;
  const untyped = type === undefined || type === null;
  const named = untyped ? role === undefined || content === undefined : isPicture(type) && typeof result !== "string";
  return named ? (["id", ONLY_ID] as const) : null;
}

const isPicture = (type: unknown): boolean => type === "image_generation_call";

const TEXT_FORMAT = leaf("type name description schema strict");
const TEXT = shapeOf({ optional: "format verbosity", inside: { format: TEXT_FORMAT } });

/**
 * What a responses request may hold: the members of the official client's types, and what Codex was recorded to send.
 * Everything else is unknown here, and is told to a provider only where its row says so. [interface decision 10]
 */
export const RESPONSES_MEMBERS: Shape = shapeOf({
  required: "model input",
  optional: `instructions stream stream_options max_output_tokens max_tool_calls temperature top_p top_logprobs tool_choice
    parallel_tool_calls text reasoning truncation metadata store user safety_identifier prompt_cache_key
    prompt_cache_options prompt_cache_retention service_tier background previous_response_id conversation prompt
    context_management moderation access_programs image client_metadata speed`,
  lists: "tools include modalities",
  inside: {
    ...foreignBody,
    input: () => ITEM,
    stream_options: leaf("include_obfuscation include_usage"),
    tools: () => LISTED_TOOL,
    tool_choice: () => TOOL_CHOICE,
    text: () => TEXT,
    reasoning: leaf("effort summary generate_summary context mode"),
    prompt: () => PROMPT,
    prompt_cache_options: () => CACHE_OPTIONS,
    context_management: leaf("type compact_threshold"),
    moderation: leaf("model policy"),
    image: leaf("context_compression"),
  },
  dropped: RETRIES,
  refused: {
    ...FOREIGN,
    previous_response_id: unsupported("Stored responses", "Send the whole conversation in `input`."),
    conversation: unsupported("Stored conversations", "Send the whole conversation in `input`."),
    background: {
      ...unsupported("Background responses", "Remove this field, or set it to false."),
      unless: oneOf(false),
    },
    modalities: AUDIO_OUTPUT,
    service_tier: anyTier("auto", "default"),
  },
});

const TOOL_CHOICE = shapeOf({ required: "tools", optional: "type mode name namespace server_label" });
const PROMPT = shapeOf({
  optional: "id variables version",
  refused: { id: unsupported("Stored prompts", "Send the prompt itself in `instructions` and `input`.") },
});
const CACHE_OPTIONS = shapeOf({
  optional: "mode ttl prewarm comparison_response_id",
  refused: { comparison_response_id: unsupported("Stored responses") },
});
