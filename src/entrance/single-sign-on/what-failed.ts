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

const CLAIM = /^[a-z_]{1,20}$/;
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
  const claim = claimIn(error);
  const codes = new Set([code, cause, claim === null ? null : `claim ${claim}`].filter((each) => each !== null));
  return [message, ...[...codes].map((each) => `(${each})`)].join(" ");
}

/** Which claim of an ID token is wrong. What stands in it stays out. */
function claimIn(error: unknown): string | null {
  for (let at = error, depth = 0; depth < 4 && typeof at === "object" && at !== null; depth++) {
    const { claim, cause } = at as Record<string, unknown>;
    if (typeof claim === "string" && CLAIM.test(claim)) return claim;
    at = cause;
  }
  return null;
}

function codeIn(error: unknown, member: "error" | "code"): string | null {
  const value = typeof error === "object" && error !== null ? (error as Record<string, unknown>)[member] : undefined;
  return typeof value === "string" && SHOWN.test(value) ? value : null;
}
