/** Where providers of chat completions differ from each other. */
export type ChatQuirks = {
  /** What it calls the limit of output when we set one. */
  outputLimitField: "max_tokens" | "max_completion_tokens";
  /** Whether it takes `stream_options`; where they are refused, usage comes unasked. */
  streamOptions: "accepted" | "refused";
  /** What it takes for the id of a call: what most do, or nine letters and digits alone. */
  callIds: "any" | "nine";
};
