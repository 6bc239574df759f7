const HIDDEN = "Reasoning that nobody sees is not charged when the caller leaves.";
const FAILED = "A failure after content costs nothing.";

/** Attempts that still succeed, and why. Each leaves this list with the change that ends it. */
export const KNOWN: ReadonlyMap<string, string> = new Map([
  ["leave during hidden reasoning", HIDDEN],
  ["leave after hidden reasoning", HIDDEN],
  [
    "reasoning that nobody asked for",
    "A messages request that does not ask for thoughts is taken to have none, so their time is not charged when the caller leaves.",
  ],
  [
    "drop plain requests while they are answered",
    "What a provider writes of a plain answer until it is stopped is not counted towards the cap.",
  ],
  [
    "run plain requests into the deadline",
    "A plain answer that our deadline ends has an error status, which costs nothing, and is not counted towards the cap.",
  ],
  ["provoke a failure of the provider: content_filter", FAILED],
  ["provoke a failure of the provider: overloaded", FAILED],
  ["provoke a failure of the provider: reset", FAILED],
  ["provoke a failure of the provider: close", FAILED],
  ["a provider that ends without an end", FAILED],
  ["a provider with usage of zero", "Input of zero tokens is believed, whatever was sent."],
  ["counting for nothing", "count_tokens asks the provider for keys without money."],
  ["shutting a route by provoked failures", "The route is blamed for failures that one caller provokes."],
]);
