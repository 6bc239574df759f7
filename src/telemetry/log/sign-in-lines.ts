import type { LogRow } from "./log-row.ts";

/** Lines about single sign-on. */
export const SIGN_IN_LINES = {
  signInFailed: {
    message: "sign-in failed",
    level: "warn",
    meaning:
      "A sign-in through the identity provider did not succeed; `reason` says why. At most 10 lines a minute, with `unwritten` since the last.",
    fix: "Check sign_in.issuer, sign_in.client_id and sign_in.client_secret, and that the provider allows the redirect URI of this gateway and, to this person, all of sign_in.scopes.",
  },
  identityCheckFailed: {
    message: "identity check failed",
    level: "warn",
    meaning:
      "The identity provider could not be asked about a person; `reason` says why. The person keeps their access, and the check is repeated. At most 10 lines a minute, with `unwritten` since the last.",
    fix: "Check that the gateway reaches the provider, and that sign_in.client_secret is valid.",
  },
  personLeft: {
    message: "person left",
    level: "info",
    meaning:
      "The identity provider refuses a person, or they are in no group of `sign_in.groups`; `reason` says which. Their sessions and tokens have ended, and their account is suspended.",
    fix: null,
  },
  mappedAccountMissing: {
    message: "mapped account unusable",
    level: "warn",
    meaning:
      "`sign_in.groups` names an `account` that does not exist or can't take a person; `problem` says why. The person signed in without it.",
    fix: "Create the account with `tollgate accounts create`, or correct sign_in.groups. The next check of the person applies it.",
  },
  sessionReused: {
    message: "client session reused",
    level: "warn",
    meaning:
      "A refresh token of a client session was used again more than a minute after it was replaced, so it may have been stolen. The session has ended for all who have a token of it.",
    fix: "Ask the person whether a machine or a backup of theirs was copied. They sign in again.",
  },
  refreshTokenMissing: {
    message: "refresh token missing",
    level: "warn",
    meaning:
      "The identity provider gave no refresh token, so that it can't be asked whether this person left. Changes of their groups take effect at their next sign-in.",
    fix: "Keep offline_access in sign_in.scopes and allow refresh tokens for this client at the provider.",
  },
} as const satisfies Record<string, LogRow>;
