import { foreignBody, FOREIGN_MEDIA, foreignMedia, foreignParts, leaf } from "../members/foreign-shapes.ts";
import { wrongSource } from "../members/media-address.ts";
import {
  CONTAINER,
  FILE,
  FOREIGN,
  matching,
  type MemberRefusal,
  ANY_SPEED,
  onlyTiers,
  REMOTE_TOOL,
  RETRIES,
  toolsOrSearches,
  toolsOtherThan,
  unsupported,
} from "../members/refusal.ts";
import { MESSAGES_SEARCH } from "../members/search-types.ts";
import { type Shape, shapeOf } from "../members/shape.ts";

const CACHE_CONTROL = leaf("type ttl");

/** Tools the caller runs itself. Any other kind is run by the provider, at a price and with powers we do not know. */
const isOfCaller = matching(/^(custom|function|(bash|text_editor|computer|memory|tool_search_tool)_\w+)$/);

/** A list of tools may have some that the provider runs, where a price has them; whatever else names a tool may not. */
const toolShape = (type: MemberRefusal): Shape =>
  shapeOf({
    required: "name input_schema",
    optional: `type description strict cache_control defer_loading eager_input_streaming configs
    default_config display_height_px display_width_px display_number enable_zoom max_characters allowed_domains
    blocked_domains max_uses user_location citations max_content_tokens url_sources use_cache response_inclusion model caching
    max_tokens mcp_server_name tools`,
    lists: "allowed_callers input_examples",
    inside: { cache_control: CACHE_CONTROL },
    refused: { type, mcp_server_name: REMOTE_TOOL },
  });
const TOOL = toolShape(toolsOtherThan(isOfCaller));
const LISTED_TOOL = toolShape(toolsOrSearches(isOfCaller, MESSAGES_SEARCH));

const TOOL_REFERENCE = shapeOf({
  required: "type name server_name definition",
  inside: { definition: () => TOOL },
});
const TOOL_CHANGE = shapeOf({
  required: "type tool",
  optional: "cache_control",
  inside: { tool: () => TOOL_REFERENCE, cache_control: CACHE_CONTROL },
});

const CITATION = shapeOf({
  required: "type title document_title",
  optional: `cited_text document_index start_char_index end_char_index start_page_number end_page_number start_block_index
    end_block_index encrypted_index url search_result_index source enabled file_id`,
  refused: { file_id: FILE },
});

const SOURCE = shapeOf({
  required: "type content",
  optional: "media_type data url file_id",
  addresses: "url",
  inside: { content: () => BLOCK },
  refused: { file_id: FILE, s3Location: FILE },
});

/** Of what somebody said, of a tool's result and of a document within it alike, however deep. */
const BLOCK: Shape = shapeOf({
  required: "type content tools tabs tool_references title",
  optional: `text source context cache_control transformations thinking signature data id name input caller
    toolset_name tool_use_id is_error tool_name tool server_name tool_changes mcp_server_name from to trigger file_id
    encrypted_content state_changes url page_age error_code error_message retrieved_at return_code stdout stderr
    encrypted_stdout file_type num_lines start_line total_lines is_file_update lines new_lines new_start old_lines old_start
    stop_reason`,
  lists: "citations",
  addresses: FOREIGN_MEDIA,
  inside: {
    ...foreignParts,
    ...foreignMedia,
    content: () => BLOCK,
    source: () => SOURCE,
    citations: () => CITATION,
    cache_control: CACHE_CONTROL,
    transformations: leaf("oversized_image"),
    caller: leaf("type tool_id"),
    tool: () => TOOL_REFERENCE,
    tool_changes: () => TOOL_CHANGE,
    tool_references: () => BLOCK,
    tools: leaf("name description input_schema"),
    from: leaf("model"),
    to: leaf("model"),
  },
  refused: { file_id: FILE },
  whole: wrongSource,
});

const MESSAGE = shapeOf({
  required: "role content",
  optional: "clear_at output_config",
  inside: { content: () => BLOCK, output_config: leaf("effort") },
});

const OUTPUT_FORMAT = leaf("type schema");

const ACCOUNT_ID = unsupported("References to a provider's account");
/** The tool runner of the official clients begins with a thread, and goes on without one when it is refused in these words. */
const THREAD: MemberRefusal = {
  ...unsupported("Stored threads", "Send the whole conversation in `messages`."),
  hint: { error_code: "thread_unsupported_request", unsupported: ["thread"] },
};
/** A list of ours says which of them pass. */
const FLAGS: MemberRefusal = { words: "Beta flags go in the header `anthropic-beta`. Send them there." };

/**
 * What a message request may hold: the members of the official client's types, those in beta included. Everything else is
 * unknown here, and is told to a provider only where its row says so. [interface decision 10]
 */
export const MESSAGES_MEMBERS: Shape = shapeOf({
  required: "model messages",
  optional: `max_tokens stream temperature top_p top_k tool_choice metadata thinking output_config
    output_format context_management cache_control compaction container diagnostics fallback_credit_token
    inference_geo service_tier speed thread user_profile_id workspace_id`,
  lists: "system stop_sequences tools fallbacks mcp_servers",
  inside: {
    ...foreignBody,
    messages: () => MESSAGE,
    system: () => BLOCK,
    tools: () => LISTED_TOOL,
    tool_choice: leaf("type name disable_parallel_tool_use"),
    thinking: leaf("type budget_tokens display block_binding"),
    output_config: () => OUTPUT_CONFIG,
    output_format: OUTPUT_FORMAT,
    context_management: leaf("edits"),
    cache_control: CACHE_CONTROL,
    compaction: leaf("type instructions"),
    diagnostics: () => DIAGNOSTICS,
  },
  dropped: RETRIES,
  refused: {
    ...FOREIGN,
    container: CONTAINER,
    thread: THREAD,
    user_profile_id: ACCOUNT_ID,
    workspace_id: ACCOUNT_ID,
    fallback_credit_token: ACCOUNT_ID,
    betas: FLAGS,
    anthropic_beta: FLAGS,
    service_tier: onlyTiers("auto", "standard_only"),
    speed: ANY_SPEED,
  },
});

const OUTPUT_CONFIG = shapeOf({
  optional: "effort format task_budget",
  inside: { format: OUTPUT_FORMAT, task_budget: leaf("type total remaining") },
});
const DIAGNOSTICS = shapeOf({
  optional: "previous_message_id",
  refused: { previous_message_id: unsupported("References to stored messages") },
});
