const HIDDEN = "Reasoning that nobody sees is not charged when the caller leaves.";
const BOUND = "A stream that the gateway's own bound ends is not charged.";
const FAILED = "A failure after content costs nothing.";
const UNREAD = "Members that nobody has read are forwarded.";
const ADDRESSES = "The size of what an address leads to is not reserved.";

/** Attempts that still succeed, and why. Each leaves this list with the change that ends it. */
export const KNOWN: ReadonlyMap<string, string> = new Map([
  ["leave during hidden reasoning", HIDDEN],
  ["leave after hidden reasoning", HIDDEN],
  ["swell the last event with instructions", BOUND],
  ["swell the last event with tools", BOUND],
  ["swell the last event with metadata", BOUND],
  ["swell a translated last event", BOUND],
  ["run plain requests into the deadline", FAILED],
  ["provoke a failure of the provider: content_filter", FAILED],
  ["provoke a failure of the provider: overloaded", FAILED],
  ["provoke a failure of the provider: reset", FAILED],
  ["provoke a failure of the provider: close", FAILED],
  ["a provider that ends without an end", FAILED],
  ["a provider with usage of zero", "Usage of zero is believed, whatever was delivered."],
  ["remote pictures", ADDRESSES],
  ["a remote document", ADDRESSES],
  ["another place to call", UNREAD],
  ["another model than the one paid for", UNREAD],
  ["the scheduler of a self-hosted server", UNREAD],
  ["search that the provider runs", UNREAD],
  ["known members in other letters", UNREAD],
  ["members written with escapes", UNREAD],
  ["null in place of a member", UNREAD],
  ["another person's name", UNREAD],
  ["files of the provider's account", UNREAD],
  ["references to stored items", UNREAD],
  ["addresses that the provider would fetch", UNREAD],
  ["counting for nothing", "count_tokens asks the provider for keys without money."],
  ["shutting a route by our own bound", "The route is blamed for the gateway's own bound."],
  ["shutting a route by provoked failures", "The route is blamed for failures that one caller provokes."],
  ["30,000 tools across formats", "Large bodies are read on the main thread."],
]);
