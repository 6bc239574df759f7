import type { Clock } from "../core/clock.ts";
import { createLineAllowance } from "./log/line-allowance.ts";
import { sayTo } from "./log/log-table.ts";
import type { Logger } from "./log/logger.ts";

/** What single sign-on does and fails at. Details are of a fixed set or the library's own words, and never a token. */
export type SignInEvents = {
  /** May be called for every one; few lines are written. */
  signInFailed: (failure: { detail: string }) => void;
  /** Nothing was learned of somebody. May be called for every one; few lines are written. */
  identityCheckFailed: (failure: { detail: string }) => void;
  /** The provider refuses them, or they are in no group any more. */
  personLeft: (left: { personId: string; email: string; reason: string }) => void;
  /** `sign_in.groups` names an account that is not there, or where nobody can be put. */
  mappedAccountMissing: (missing: { account: string; problem: string }) => void;
  /** The provider can't be asked about them again. */
  refreshTokenMissing: (person: { email: string }) => void;
  /** Two have the refresh token of a client session, which was ended. */
  sessionReused: (session: { sessionId: string; personId: string; email: string; client: string }) => void;
};

const MOST_LINES = 10;
const PER_MS = 60_000;

export function createSignInEvents({
  logger,
  clock,
}: {
  logger: Pick<Logger, "info" | "warn" | "error">;
  clock: Pick<Clock, "elapsedMs">;
}): SignInEvents {
  const say = sayTo(logger);
  const few = () => createLineAllowance({ most: MOST_LINES, perMs: PER_MS, clock });
  const [failures, checks, missing, tokens] = [few(), few(), few(), few()];
  return {
    signInFailed: ({ detail }) => {
      const line = failures.take();
      if (line) say("signInFailed", { reason: detail, ...line });
    },
    identityCheckFailed: ({ detail }) => {
      const line = checks.take();
      if (line) say("identityCheckFailed", { reason: detail, ...line });
    },
    personLeft: ({ personId, email, reason }) => say("personLeft", { person_id: personId, email, reason }),
    mappedAccountMissing: ({ account, problem }) => {
      const line = missing.take();
      if (line) say("mappedAccountMissing", { account, problem, ...line });
    },
    sessionReused: ({ sessionId, personId, email, client }) =>
      say("sessionReused", { session_id: sessionId, person_id: personId, email, client }),
    refreshTokenMissing: ({ email }) => {
      const line = tokens.take();
      if (line) say("refreshTokenMissing", { email, ...line });
    },
  };
}
