const COLOURS: Readonly<Record<string, string>> = {
  ok: "var(--series-1)",
  client_gone: "var(--series-other)",
  insufficient_credit: "var(--series-4)",
  limit_reached: "var(--series-2)",
  rate_limit_exceeded: "var(--series-3)",
  request_cancelled: "var(--series-8)",
  model_not_found: "var(--series-7)",
  invalid_request: "var(--series-5)",
  // A kind of invalid request, so a shade of its colour.
  context_length_exceeded: "color-mix(in srgb, var(--series-5) 55%, var(--ink))",
  invalid_credentials: "var(--series-6)",
};

/** What a request ended with has the same colour on every page; failures of the gateway and of providers have that of what is bad. */
export const codeColour = (code: string): string => COLOURS[code] ?? "var(--bad)";

const NAMES: Readonly<Record<string, string>> = { ok: "delivered", client_gone: "client disconnected" };

export const codeName = (code: string): string => NAMES[code] ?? code;
