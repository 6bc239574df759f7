import { hash } from "node:crypto";
import type { By } from "../../core/people/by.ts";
import { Fault, fieldFault } from "../../core/fault.ts";
import { Forbidden } from "../../core/forbidden.ts";
import type { SignInEvents } from "../../telemetry/sign-in-events.ts";
import type { Recognise } from "../recognise.ts";
import { admitPerson } from "./admit-person.ts";
import { type CheckParts, checkPerson, leave, NO_GROUP } from "./check-person.ts";
import type { Identified, NotIdentified } from "./identity-provider.ts";
import type { BegunSignIn } from "./identity.ts";
import { SignInRefusal } from "./sign-in-refusal.ts";
import { planPerson } from "./plan-person.ts";
import { checkReturnPath } from "./return-path.ts";

type Came = { query: string; state: string | null; address: string; agent: string; requestId: string };

/** Single sign-on. */
export type SignIn = {
  /** Where the browser is to go, and what it must bring back. */
  begin: (returnTo: string | null) => Promise<{ url: string; state: string }>;
  /** `state` is what this browser began with. */
  finish: (came: Came) => Promise<{ secret: string; returnTo: string }>;
  /** The same for somebody who gets something else than a session of a browser. */
  identify: (came: Came) => Promise<{ personId: string; email: string; returnTo: string }>;
  /** Asks the provider about everybody who is due. Answers how many that were. */
  refreshDue: () => Promise<number>;
};

/** Somebody who came back from the provider and is not let in. `by` is known once the provider has said who it is. */
export type RefusedSignIn = { by: By | null; address: string; requestId: string; code: string; reason: string };

type Parts = CheckParts & {
  recognise: Pick<Recognise, "openSession">;
  /** May be called for every one; few entries are written. */
  onRefused: (refused: RefusedSignIn) => void;
};

type IdentifiedPerson = { personId: string; email: string; returnTo: string; by: By };

/** How long somebody may take over the provider's page. */
const ATTEMPT_MS = 600_000;
/** Longer than the provider may take for one. */
const LEASE_MS = 60_000;
/** Asked about at a time by one process. */
const AT_A_TIME = 8;

export const createSignIn = (parts: Parts): SignIn => ({
  begin: (returnTo) => begin(parts, returnTo),
  identify: (came) => identify(parts, came),

  finish: async (came) => {
    const { personId, email, returnTo, by } = await identify(parts, came);
    const { address, agent } = came;
    await parts.audit("session.create", { id: personId, email }, { ...by, personId });
    const from = { via: "sso", address, agent, passwordHash: null } as const;
    const { secret } = await parts.recognise.openSession(personId, from);
    return { secret, returnTo };
  },

  refreshDue: async () => {
    const { provider, store, place, clock } = parts;
    const due = await store.claim(provider.issuer, { limit: AT_A_TIME, atMs: clock.nowMs(), leaseMs: LEASE_MS });
    await Promise.all(due.flatMap(({ sealed, ...key }) => (sealed === null ? [] : [checkPerson(parts, key, sealed)])));
    for (const left of await store.unsuspended(provider.issuer, AT_A_TIME)) await place.suspend(left);
    return due.length;
  },
});

async function begin({ provider, store, events, clock }: Parts, returnTo: string | null) {
  const back = checkReturnPath(returnTo);
  const begun = await provider.begin();
  if (begun.kind !== "begun") {
    events.signInFailed({ detail: begun.detail });
    throw new Fault("service_unavailable", "The identity provider can't be reached. The log says why.", {
      retryAfterSeconds: 5,
    });
  }
  const { url, state, nonce, verifier } = begun;
  const atMs = clock.nowMs();
  const attempt = { stateDigest: digestOf(state), nonce, verifier, returnTo: back };
  await store.begin(attempt, { atMs, expiresAtMs: atMs + ATTEMPT_MS });
  return { url, state };
}

/** Who came back. Why somebody is not let in is noted. */
async function identify(parts: Parts, came: Came): Promise<IdentifiedPerson> {
  const { address, requestId } = came;
  let by: By | null = null;
  try {
    const attempt = await takeAttempt(parts, came);
    const identified = requireIdentified(await parts.provider.finish(came.query, attempt), parts.events);
    by = { actor: identified.claims.email, via: "sso" };
    const { personId, email } = await admit(parts, identified, { ...by, address, requestId });
    // By the address that they have here, which may not be the one they claim.
    return { personId, email, returnTo: attempt.returnTo, by: { actor: email, address, requestId, via: "sso" } };
  } catch (error) {
    if (!(error instanceof SignInRefusal)) throw error;
    const { reason, refusal } = error;
    const code = refusal instanceof Fault ? refusal.code : "forbidden";
    parts.onRefused({ by, address, requestId, code, reason });
    throw refusal;
  }
}

async function takeAttempt({ store, clock }: Parts, { query, state }: Came): Promise<BegunSignIn & { state: string }> {
  const isSame = state !== null && new URLSearchParams(query).get("state") === state;
  const attempt = isSame ? await store.take(digestOf(state), clock.nowMs()) : null;
  if (isSame && attempt !== null) return { ...attempt, state };
  throw new SignInRefusal(
    "not begun in this browser, used already or too old",
    fieldFault(
      "state",
      "This sign-in was not begun in this browser, was used already, or took over 10 minutes. Start again.",
    ),
  );
}

/** Throws unless somebody is identified. What went wrong in detail is for the log. */
function requireIdentified(outcome: Identified | NotIdentified, events: SignInEvents): Identified {
  if (outcome.kind === "identified") return outcome;
  events.signInFailed({ detail: outcome.detail });
  if (outcome.kind === "refused")
    throw new SignInRefusal(
      "refused by the provider",
      new Fault("invalid_credentials", "The identity provider refused this sign-in. Start again."),
    );
  // A code of the provider stands in the log; anybody can send one here.
  throw new SignInRefusal(
    outcome.detail.startsWith("the provider answered") ? "failed at the provider" : outcome.detail,
    new Fault("service_unavailable", "The sign-in could not be completed. Start again; the log says what failed.", {
      retryAfterSeconds: 5,
    }),
  );
}

/** Whoever is in no group of the mapping is not let in, and leaves if they were here before. */
async function admit(parts: Parts, identified: Identified, by: By) {
  const { email, subject, groups } = identified.claims;
  const { issuer } = parts.provider;
  const plan = planPerson(groups, parts.mappings);
  if (plan !== null) return admitPerson(parts, identified, { issuer, plan, was: null, by });
  await leave(parts, { issuer, subject }, { was: null, reason: NO_GROUP });
  throw new SignInRefusal(
    NO_GROUP,
    new Forbidden(`${email} is in no group that may sign in here. Ask an operator which group you need.`),
  );
}

const digestOf = (state: string): Buffer => hash("sha256", state, "buffer");
