/** What becomes of the name of a tool at every provider of another format. */
export const TOOL_NAME =
  "One of up to 64 letters, digits, `_` and `-` is kept; of others the beginning is sent with a digest, and calls come back under the caller's own.";

/** Why content is refused that only its own format knows. */
export const UNKNOWN_CONTENT = "This kind of content has no counterpart in the formats of this model's providers.";

/** What becomes of tools that wait to be searched for. */
export const FOUND_TOOLS =
  "Offered once the caller's search has found it, or it must be called; with a search that the provider runs, from the start.";

export const RETURNED = "Returned to the provider that gave it.";
export const NOT_ENFORCED = "Told, and not enforced.";
export const ONE_USER = "One name of the caller's user is sent.";
export const SAID_BY_USER = "Said by the user instead.";
export const ORDINARY_TIER = "Always the provider's default.";
export const NEVER_STORED = "Always false.";
export const BYTES_ALONE = "Providers of that format take a file's bytes alone.";
