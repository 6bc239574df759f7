/** What becomes of the name of a tool at every provider of another format. */
export const TOOL_NAME =
  "A name of up to 64 letters, digits, `_` and `-` is kept. Otherwise its beginning and a digest are sent, and calls return under the client's name.";

/** Why content is refused that only its own format knows. */
export const UNKNOWN_CONTENT = "This kind of content has no counterpart in the formats of this model's providers.";

/** What becomes of tools that wait to be searched for. */
export const FOUND_TOOLS =
  "Offered once the client's search has found it, or if it must be called. If the provider runs the search, offered from the start.";

/** Why what only the provider runs is refused. */
export const PROVIDER_RUN =
  "Only a provider of the request's own format runs this tool. Remove it, or use a tool that your client runs.";

/** Google's models take searches or functions, and not both. */
export const SEARCH_ALONE =
  "Models of Google search only where no other tool is offered. Remove the other tools, or this one.";

export const RETURNED = "Returned to the provider that produced it.";
export const NOT_ENFORCED = "Sent as a description, not enforced.";
export const ONE_USER = "Only one id of the user is sent.";
export const SAID_BY_USER = "Sent with the role `user` instead.";
export const ORDINARY_TIER = "Always the provider's default.";
export const NEVER_STORED = "Always false.";
export const BYTES_ALONE = "Providers of that format accept only a file's bytes, not its URL.";
