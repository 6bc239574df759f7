/** What becomes of a limit at providers of responses. */
export const LEAST_LIMIT = "OpenAI's responses API accepts no limit below 16; 16 is sent instead.";

/** What becomes of the tools of a responses request. */
export const RUN_BY_CALLER = "Client-side tools are sent as functions; their calls are converted back.";

export const ONLY_FALSE = "Only `false` is accepted.";
