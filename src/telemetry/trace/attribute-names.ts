import type { RouteFormat } from "../../core/request/dialect.ts";

/** Names of span attributes. `gen_ai.*` and `http.*` follow the OpenTelemetry conventions, which still move: only here. */
export const ATTRIBUTE = {
  method: "http.request.method",
  path: "url.path",
  httpRoute: "http.route",
  status: "http.response.status_code",
  errorType: "error.type",
  serverAddress: "server.address",
  operation: "gen_ai.operation.name",
  provider: "gen_ai.provider.name",
  model: "gen_ai.request.model",
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  requestId: "tollgate.request_id",
  route: "tollgate.route",
  dialect: "tollgate.format",
  keyId: "tollgate.key_id",
  routeId: "tollgate.route_id",
  attempt: "tollgate.attempt",
  attempts: "tollgate.attempts",
  outcome: "tollgate.outcome",
  streamed: "tollgate.streamed",
  credits: "tollgate.cost",
  chargedTokens: "tollgate.charged_tokens",
} as const;

/** What the conventions call a call in each format. */
export const OPERATIONS: Readonly<Record<RouteFormat, string>> = {
  chat: "chat",
  responses: "chat",
  messages: "chat",
  gemini: "generate_content",
  converse: "chat",
  embeddings: "embeddings",
};

/** The conventions' own names of providers that operators usually call otherwise. Every other name is used as it is. */
const CONVENTIONAL_PROVIDERS: ReadonlyMap<string, string> = new Map([
  ["azure", "azure.ai.openai"],
  ["gemini", "gcp.gemini"],
  ["mistral", "mistral_ai"],
  ["xai", "x_ai"],
]);

export const conventionalProvider = (name: string): string => CONVENTIONAL_PROVIDERS.get(name) ?? name;
