/** Names of span attributes. `gen_ai.*` and `http.*` follow the OpenTelemetry conventions, which still move: only here. */
export const ATTRIBUTE = {
  method: "http.request.method",
  route: "http.route",
  status: "http.response.status_code",
  errorType: "error.type",
  provider: "gen_ai.provider.name",
  model: "gen_ai.request.model",
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  requestId: "tollgate.request_id",
  dialect: "tollgate.format",
  keyId: "tollgate.key_id",
  routeId: "tollgate.route_id",
  attempt: "tollgate.attempt",
  outcome: "tollgate.outcome",
  streamed: "tollgate.streamed",
} as const;
