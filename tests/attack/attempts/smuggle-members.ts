import type { Probe, SmuggleAttempt } from "../attempt.ts";
import { bodyOf, FORMATS, type Format, type Json } from "../formats.ts";

/** A value that is nowhere else, so that it is seen wherever it arrives. */
const MARK = "smuggled-4711";

const members = (callers: readonly Format[], extra: Json, never: readonly string[]): Probe[] =>
  callers.map((caller) => ({
    what: Object.keys(extra).join(", "),
    caller,
    body: (model) => bodyOf(caller, { model, limit: 5, extra }),
    never,
  }));

/** Each member alone, by its name. */
const named = (callers: readonly Format[], extras: Json): Probe[] =>
  Object.entries(extras).flatMap(([name, value]) => members(callers, { [name]: value }, [`"${name}"`]));

/** Names of each format, and what is sent under each and must not arrive. */
const each = (names: Record<Format, readonly string[]>, make: (name: string) => [Json, string]): Probe[] =>
  FORMATS.flatMap((caller) =>
    names[caller].flatMap((name) => {
      const [extra, never] = make(name);
      return members([caller], extra, [never]);
    }),
  );

const raw = (caller: Format, what: string, text: string, never: readonly string[]): Probe => ({
  what,
  caller,
  body: (model) => `${JSON.stringify(bodyOf(caller, { model, limit: 5 })).slice(0, -1)},${text}}`,
  never,
});

const every = { kind: "smuggle", providers: FORMATS } as const;

/** Members of the outermost object that make a provider do what nobody paid for, or for somebody else. */
export const MEMBERS: readonly SmuggleAttempt[] = [
  {
    ...every,
    name: "more expensive service",
    tries: "Asks for a more expensive tier, speed or region.",
    probes: named(FORMATS, { service_tier: "priority", speed: "fast", inference_geo: MARK }),
  },
  {
    ...every,
    name: "stored conversations",
    tries: "Refers to responses, conversations, prompts and containers stored in the provider's account.",
    probes: [
      ...named(["responses"], {
        previous_response_id: `resp_${MARK}`,
        conversation: `conv_${MARK}`,
        prompt: { id: `pmpt_${MARK}` },
        background: true,
      }),
      ...named(["messages"], { container: `container_${MARK}`, thread: MARK, workspace_id: MARK }),
      ...members(["chat", "responses"], { store: true }, ['"store":true']),
    ],
  },
  {
    ...every,
    name: "another address to call",
    tries: "Sets the address, key or back end that a proxy or a self-hosted server should use.",
    probes: named(FORMATS, {
      api_base: `http://${MARK}`,
      base_url: `http://${MARK}`,
      api_key: MARK,
      user_config: { model_list: [] },
      kv_transfer_params: { remote_host: "169.254.169.254" },
      bootstrap_host: MARK,
      data_sources: [{ type: "azure_search", parameters: { endpoint: `https://${MARK}` } }],
      mcp_servers: [{ type: "url", url: `https://${MARK}`, name: "m" }],
    }),
  },
  {
    ...every,
    name: "another model than the one paid for",
    tries: "Asks for fallbacks, presets, routes and mock answers of routers.",
    probes: named(FORMATS, {
      models: ["dear-model"],
      fallbacks: [{ model: "dear-model" }],
      preset: MARK,
      route: "fallback",
      provider: { order: ["dear"] },
      mock_response: MARK,
      safety_model: MARK,
    }),
  },
  {
    ...every,
    name: "the scheduler of a self-hosted server",
    tries: "Asks for priority, for repeated computation and for the identity of another request.",
    probes: named(FORMATS, {
      priority: -1_000,
      request_id: MARK,
      best_of: 20,
      ignore_eos: true,
      min_tokens: 50_000,
      custom_logit_processor: MARK,
      lora_path: "/etc",
      deferred: true,
    }),
  },
  {
    ...every,
    name: "provider-run search",
    tries: "Turns on the provider's web search under each of its names.",
    probes: [
      ...named(["chat", "responses"], {
        web_search_options: {},
        search_parameters: { mode: "on" },
        enable_search: true,
        plugins: [{ id: "web" }],
        search_settings: { include_domains: [MARK] },
      }),
      ...members(["messages"], { tools: [{ type: "web_search_20250305", name: "web_search" }] }, [
        "web_search_20250305",
      ]),
      ...members(["responses"], { tools: [{ type: "web_search" }] }, ["web_search"]),
      ...members(["chat"], { tools: [{ type: "web_search" }] }, ["web_search"]),
    ],
  },
  {
    ...every,
    name: "provider-run tools",
    tries: "Asks for code execution, file search, connectors and hosted MCP servers.",
    probes: [
      ...["code_interpreter", "file_search", "image_generation", "mcp"].flatMap((type) =>
        members(["responses"], { tools: [{ type, server_label: "s", vector_store_ids: [MARK] }] }, [type, MARK]),
      ),
      ...["code_execution_20250825", "web_fetch_20250910"].flatMap((type) =>
        members(["messages"], { tools: [{ type, name: "x" }] }, [type]),
      ),
      ...members(
        ["responses"],
        { tools: [{ type: "namespace", name: "n", tools: [{ type: "mcp", server_url: `https://${MARK}` }] }] },
        [MARK],
      ),
    ],
  },
  {
    ...every,
    name: "known fields in other case",
    tries: "Writes known fields in other case, which case-insensitive servers would accept.",
    probes: each(
      {
        chat: ["MAX_TOKENS", "Max_Completion_Tokens", "N", "Service_Tier", "STORE", "Model", "Stream"],
        responses: ["MAX_OUTPUT_TOKENS", "Service_Tier", "STORE", "Model", "Stream", "Previous_Response_Id"],
        messages: ["MAX_TOKENS", "Service_Tier", "Model", "Stream", "Container"],
      },
      (name) => [{ [name]: name === "N" ? 128 : MARK }, `"${name}"`],
    ),
  },
  {
    ...every,
    name: "field names written with escapes",
    tries: "Hides the names of rejected fields behind JSON escapes and prototypes.",
    probes: FORMATS.flatMap((caller) => [
      raw(caller, "an escaped name", String.raw`"service\u005ftier":"priority"`, ["priority"]),
      raw(caller, "an escaped letter", String.raw`"\u0073ervice_tier":"priority"`, ["priority"]),
      raw(caller, "a prototype", `"__proto__":{"service_tier":"${MARK}"}`, [MARK]),
      raw(caller, "a constructor", `"constructor":{"prototype":{"service_tier":"${MARK}"}}`, [
        `"service_tier":"${MARK}"`,
      ]),
    ]),
  },
  {
    ...every,
    name: "duplicate fields",
    tries: "Sends a field twice, so that the gateway reads one value and the provider the other.",
    probes: FORMATS.flatMap((caller) => [
      raw(caller, "model twice", '"model":"smuggled-4711"', [MARK]),
      raw(caller, "limit twice", `"max_tokens":30001,"max_tokens":5`, ["30001"]),
      raw(caller, "stream twice", '"stream":false,"stream":true,"n":1,"n":64', ['"n":64']),
    ]),
  },
  {
    ...every,
    name: "null instead of a value",
    tries: "Sends null where a value would be rejected; lenient servers take it as their default.",
    probes: each(
      {
        chat: ["service_tier", "store", "max_tokens", "n", "web_search_options"],
        responses: ["service_tier", "store", "background", "max_output_tokens", "conversation"],
        messages: ["service_tier", "container", "max_tokens"],
      },
      (name) => [{ [name]: null }, `"${name}":null`],
    ),
  },
  {
    ...every,
    name: "another tenant's identity",
    tries: "Sends the user id, safety identifier and cache key of another tenant.",
    probes: [
      ...members(["chat", "responses"], { user: MARK }, [`"${MARK}"`]),
      ...members(["chat", "responses"], { safety_identifier: MARK }, [`"${MARK}"`]),
      ...members(["chat", "responses"], { prompt_cache_key: MARK }, [`"prompt_cache_key":"${MARK}"`]),
      ...members(["messages"], { metadata: { user_id: MARK } }, [`"${MARK}"`]),
      ...members(["chat", "responses"], { prompt_cache_isolation_key: MARK }, ["prompt_cache_isolation_key"]),
    ],
  },
];
