/** Why a member is not passed on; the caller reads it. */
export const REASONS = {
  stored: "refers to something kept in a provider's account, which strangers share here. Send the content itself",
  remote: "makes the provider act elsewhere on the caller's behalf, from an account that strangers share. Leave it out",
  priced: "changes what the provider charges, and no price is published for it here. Leave it out",
  operated: "sets how the provider's servers run, which strangers share here. Leave it out",
  unanswered: "asks for an answer that this gateway does not give. Leave it out",
} as const;

/**
 * Why a member is refused, and for which of its values: with `unless` all that it does not allow, with `when` those it names,
 * else all. A member that is null or an empty list is as absent, and never refused.
 */
export type MemberRefusal = { because: keyof typeof REASONS; unless?: Test; when?: Test; example?: unknown };
type Test = (value: unknown) => boolean;

export function isRefused(value: unknown, { unless, when }: MemberRefusal): boolean {
  return unless ? !unless(value) : (when?.(value) ?? true);
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

export const STORED: MemberRefusal = { because: "stored" };
export const REMOTE: MemberRefusal = { because: "remote" };
export const PRICED: MemberRefusal = { because: "priced" };
const OPERATED: MemberRefusal = { because: "operated" };
export const UNANSWERED: MemberRefusal = { because: "unanswered" };

const all = (refusal: MemberRefusal, names: string): Record<string, MemberRefusal> =>
  Object.fromEntries(names.split(/\s+/).map((name) => [name, refusal]));

/**
 * What a server that speaks one of our formats may read in a body beside them, and no caller may tell it, whoever the provider
 * is. A name that ends in `*` stands for all that begin so.
 */
export const FOREIGN: Readonly<Record<string, MemberRefusal>> = {
  // Gateways behind this one: where to send the request, as whom, and what to pretend.
  ...all(
    REMOTE,
    `api_base base_url api_key api_version api_type organization custom_llm_provider deployment_id region_name extra_headers
     extra_query default_headers headers aws_* vertex_* azure_* watsonx_* hf_* litellm_* proxy_server_request ssl_verify
     provider_options providerOptions data_sources dataSources mcp_servers`,
  ),
  ...all(
    PRICED,
    `models model_list route provider plugins fallbacks context_window_fallbacks content_policy_fallbacks num_retries
     mock_response mock_tool_calls mock_timeout input_cost_per_token output_cost_per_token input_cost_per_second
     output_cost_per_second model_info search_parameters search_options search_settings web_search_options compound_custom
     inference_geo best_of use_beam_search prompt_logprobs`,
  ),
  enable_search: { because: "priced", unless: oneOf(false) },
  enable_code_interpreter: { because: "priced", unless: oneOf(false) },
  speed: { because: "priced", unless: oneOf("standard") },
  // What is kept elsewhere under a name.
  ...all(
    STORED,
    "preset prompt_id prompt_variables agent_id cachedContent cached_content vector_store_ids session_params",
  ),
  deferred: { because: "stored", unless: oneOf(false) },
  // Servers that operators run themselves: whose turn it is, which memory is read, what code is run.
  ...all(
    OPERATED,
    `priority request_id rid kv_transfer_params bootstrap_* disagg_* data_parallel_rank routed_dp_rank custom_logit_processor
     custom_params logits_processors vllm_xargs lora_path chat_template mm_processor_kwargs media_io_kwargs
     return_hidden_states keep_alive`,
  ),
  safeguards: UNANSWERED,
};
