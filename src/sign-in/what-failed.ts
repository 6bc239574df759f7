/**
 * What a token endpoint says of the person or of what they brought. Everything else says something of the provider, of this client or of
 * the network, and so nothing of the person.
 */
const REFUSALS: ReadonlySet<string> = new Set([
  "invalid_grant",
  "access_denied",
  "login_required",
  "interaction_required",
  "consent_required",
  "account_selection_required",
]);

const SHOWN = /^[\w.-]{1,64}$/;

/** Whether the provider refused a person, as opposed to anything that failed. */
export const isRefusal = (error: unknown): boolean => REFUSALS.has(codeIn(error, "error") ?? "");

/** In words for the log. Messages of the library are its own; what the provider sent is shown only where it is a code. */
export function whatFailed(error: unknown): string {
  const told = codeIn(error, "error");
  if (told !== null) return `the provider answered ${told}`;
  const code = codeIn(error, "code");
  if (code === "OAUTH_WWW_AUTHENTICATE_CHALLENGE")
    return "the provider rejects this client: check its id and its secret";
  const cause = error instanceof Error ? codeIn(error.cause, "code") : null;
  const message = error instanceof Error ? error.message.slice(0, 200) : "it failed";
  return [message, ...[code, cause].filter((each) => each !== null).map((each) => `(${each})`)].join(" ");
}

function codeIn(error: unknown, member: "error" | "code"): string | null {
  const value = typeof error === "object" && error !== null ? (error as Record<string, unknown>)[member] : undefined;
  return typeof value === "string" && SHOWN.test(value) ? value : null;
}
