/**
 * Why a member is refused, and for which of its values: with `unless` all that it does not allow, with `when` those it names,
 * else all. A member that is null or an empty list is as absent, and never refused. `words` is what the client reads after the
 * field's path: what is not supported, and what to do about this very field. A function is given the value, if it is a plain name.
 * `hint` is what a client's library reads instead.
 */
export type MemberRefusal = {
  words: string | ((value: string | null) => string);
  unless?: Test;
  when?: Test;
  hint?: Readonly<Record<string, unknown>>;
  /** What refuses a name that is spelled otherwise, where that is more. */
  alike?: MemberRefusal;
  example?: unknown;
};
type Test = (value: unknown) => boolean;

export function isRefused(value: unknown, { unless, when }: MemberRefusal): boolean {
  return unless ? !unless(value) : (when?.(value) ?? true);
}

/** The words for one value. */
export function wordsFor(value: unknown, { words }: MemberRefusal): string {
  if (typeof words === "string") return words;
  return words(typeof value === "string" && /^[\w.-]{1,64}$/.test(value) ? value : null);
}

export const oneOf =
  (...values: readonly unknown[]): Test =>
  (value) =>
    values.includes(value);

export const matching =
  (pattern: RegExp): Test =>
  (value) =>
    typeof value === "string" && pattern.test(value);

export const including =
  (...values: readonly unknown[]): Test =>
  (value) =>
    Array.isArray(value) && value.some((item) => values.includes(item));

const REMOVE = "Remove this field.";

/** What this gateway does not offer, most often because it would live in a provider account that all clients share. */
export const unsupported = (what: string, fix = REMOVE): MemberRefusal => ({
  words: `${what} aren't supported. ${fix}`,
});

/** What the provider charges for, at a price that the model does not publish. */
export const unpriced = (what: string, fix = REMOVE): MemberRefusal => ({
  words: `${what} isn't supported: it has no published price here. ${fix}`,
});

export const FILE = unsupported("Stored files", "Send the file's content in the request.");
export const CONTAINER: MemberRefusal = {
  words: `Containers and skills aren't supported: they are kept in the provider's account and billed by time, which no response reports. ${REMOVE}`,
};
export const VECTOR_STORE = unsupported("Vector stores", "Send the documents' text in the request.");
export const CACHED_CONTENT = unsupported("Cached contents of a provider's account", "Send the content itself.");
export const REMOTE_TOOL = unsupported("Tools on remote servers", "Remove this tool, or run it in your client.");
export const SEARCH = unpriced("Web search by the provider");
/** Whether it is sold is the price's to say. */
export const ANY_SEARCH: MemberRefusal = {
  words: "Input should be an object. Send one, or remove this field.",
  unless: (value) => typeof value === "object" && !Array.isArray(value),
  alike: SEARCH,
};
export const CODE = unpriced("Code execution by the provider");
export const AUDIO_OUTPUT: MemberRefusal = {
  ...unpriced("Audio output", "Request text only."),
  when: including("audio"),
};
export const AUDIO_INPUT: MemberRefusal = { ...unpriced("Audio input", "Send text."), when: oneOf("input_audio") };

/** Tools of other kinds are run by the provider. Users of an agent know a tool by its name, not by its place in the body. */
export const toolsOtherThan = (isOfCaller: Test): MemberRefusal => ({
  words: (tool) =>
    `${tool === null ? "This tool type" : `Tool type '${tool}'`} isn't supported: ${whyNot(tool ?? "")} Remove it, or use a tool that your client runs.`,
  unless: isOfCaller,
});

/** The same where some of them may be listed, if a price has them. Only the very name of the field is read for that. */
export const toolsOrSearches = (isOfCaller: Test, search: RegExp): MemberRefusal => ({
  ...toolsOtherThan((type) => isOfCaller(type) || matching(search)(type)),
  alike: toolsOtherThan(isOfCaller),
});

const whyNot = (tool: string): string =>
  /^code_(?:execution|interpreter)/.test(tool)
    ? "the provider bills code execution by the time of a container, which no response reports."
    : "tools that the provider runs have no published price here.";

export const onlyTiers = (...tiers: readonly string[]): MemberRefusal => ({
  words: `Only ${tiers.map((tier) => `'${tier}'`).join(" and ")} are supported; other tiers have no published price here. Use one of them, or remove this field.`,
  unless: oneOf(...tiers),
});

/** Which of them are sold is the price's to say. Only the very name of the field is read for that. */
export const anyTier = (...ordinary: readonly string[]): MemberRefusal => ({
  words: "Input should be the name of a tier, such as 'default' or 'flex'. Use one, or remove this field.",
  unless: matching(/^[a-z0-9][a-z0-9_-]{0,39}$/),
  alike: onlyTiers(...ordinary),
  example: 1,
});

const STANDARD_SPEED: MemberRefusal = {
  words: "Only 'standard' is supported; other speeds have no published price here. Use it, or remove this field.",
  unless: oneOf("standard"),
};
/** The same where a format has speeds. */
export const ANY_SPEED: MemberRefusal = {
  words: "Input should be 'standard' or 'fast'. Use one, or remove this field.",
  unless: oneOf("standard", "fast"),
  alike: STANDARD_SPEED,
  example: "other",
};

const ADDRESSED: MemberRefusal = {
  words: `The gateway sets the provider's address, credential, headers and options. ${REMOVE}`,
};
const ROUTED: MemberRefusal = { words: `The gateway chooses routes. ${REMOVE}` };
const OPERATED: MemberRefusal = {
  words: `This field controls the provider's servers, which all clients share. ${REMOVE}`,
};
const PRICE: MemberRefusal = { words: `The operator sets prices. ${REMOVE}` };
const STORED_PROMPT = unsupported("Stored prompts, presets and agents", "Send the prompt itself.");

const all = (refusal: MemberRefusal, names: string): Record<string, MemberRefusal> =>
  Object.fromEntries(names.split(/\s+/).map((name) => [name, refusal]));

const unlessFalse = (refusal: MemberRefusal): MemberRefusal => ({ ...refusal, unless: oneOf(false) });

/**
 * What callers ask gateways behind this one to try when the model fails. A request is the same without it, and the model that it names is the
 * one that is paid for. What chooses a provider stays refused: it may forbid one to keep the prompt.
 */
export const RETRIES = "models route fallbacks context_window_fallbacks content_policy_fallbacks num_retries";

/**
 * What a server that speaks one of our formats may read in a body beside them, and no caller may tell it, whoever the provider
 * is. A name that ends in `*` stands for all that begin so.
 */
export const FOREIGN: Readonly<Record<string, MemberRefusal>> = {
  // Gateways behind this one: where to send the request, as whom, and what to pretend.
  ...all(
    ADDRESSED,
    `api_base base_url api_key api_version api_type organization custom_llm_provider deployment_id region_name extra_headers
     extra_query default_headers headers aws_* vertex_* azure_* watsonx_* hf_* litellm_* proxy_server_request ssl_verify
     provider_options providerOptions`,
  ),
  ...all(unsupported("Data sources of a provider's account", "Send the content itself."), "data_sources dataSources"),
  mcp_servers: unsupported("Remote MCP servers", "Remove this field, or run the tools in your client."),
  ...all(ROUTED, "model_list provider plugins"),
  ...all(unsupported("Mock responses"), "mock_response mock_tool_calls mock_timeout"),
  ...all(PRICE, "input_cost_per_token output_cost_per_token input_cost_per_second output_cost_per_second model_info"),
  ...all(SEARCH, "search_parameters search_options search_settings web_search_options"),
  compound_custom: unpriced("A choice of the provider's own tools"),
  inference_geo: unpriced("A choice of region"),
  ...all(unpriced("Beam search"), "best_of use_beam_search"),
  prompt_logprobs: unpriced("A list of the prompt's log probabilities"),
  enable_search: unlessFalse(SEARCH),
  enable_code_interpreter: unlessFalse(CODE),
  speed: STANDARD_SPEED,
  // What is kept elsewhere under a name.
  ...all(STORED_PROMPT, "preset prompt_id prompt_variables agent_id"),
  ...all(CACHED_CONTENT, "cachedContent cached_content"),
  vector_store_ids: VECTOR_STORE,
  session_params: unsupported("Stored sessions", "Send the whole conversation."),
  deferred: { ...unsupported("Deferred responses", "Remove this field, or set it to false."), unless: oneOf(false) },
  // Servers that operators run themselves: whose turn it is, which memory is read, what code is run.
  ...all(
    OPERATED,
    `priority request_id rid kv_transfer_params bootstrap_* disagg_* data_parallel_rank routed_dp_rank custom_logit_processor
     custom_params logits_processors vllm_xargs lora_path chat_template mm_processor_kwargs media_io_kwargs
     return_hidden_states keep_alive`,
  ),
  safeguards: unsupported("Safeguards"),
};
