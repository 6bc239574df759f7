/** What becomes of a limit at providers of responses. */
export const LEAST_LIMIT = "OpenAI's responses take no limit below 16, and are told 16.";

/** What becomes of the tools of a responses request. */
export const RUN_BY_CALLER = "Those the caller runs, as functions; a call of one comes back as what it was offered as.";

export const ONLY_FALSE = "Only `false` is taken.";
