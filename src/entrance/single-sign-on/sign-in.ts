import { hash } from "node:crypto";
import type { By } from "../../core/by.ts";
import type { Clock } from "../../core/clock.ts";
import { Conflict } from "../../core/conflict.ts";
import { Fault, fieldFault } from "../../core/fault.ts";
import { Forbidden } from "../../core/forbidden.ts";
import type { GroupMapping } from "../../core/group-mapping.ts";
import { createId } from "../../core/ids.ts";
import type { SealedCredential } from "../../core/sealed-credential.ts";
import type { Secret } from "../../core/secret.ts";
import type { Identity, IdentityKey, IdentityStore, SignInAdmission } from "./identity.ts";
import type { AuditPerson } from "../audit-person.ts";
import type { Grant } from "../../people/person.ts";
import type { Recognise } from "../recognise.ts";
import type { Identified, IdentityProvider, NotIdentified } from "./identity-provider.ts";
import { type PersonPlan, planPerson } from "./plan-person.ts";
import type { ProviderClaims } from "./read-claims.ts";
import type { SignInEvents } from "../../telemetry/sign-in-events.ts";
import type { PlacePerson } from "./place-person.ts";
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

type Parts = {
  provider: IdentityProvider;
  mappings: readonly GroupMapping[];
  linkByEmail: "verified" | "always";
  refreshEveryMs: number;
  store: IdentityStore;
  recognise: Pick<Recognise, "openSession">;
  findAccount: (name: string) => Promise<{ id: string }>;
  place: PlacePerson;
  seal: (token: string, key: IdentityKey) => SealedCredential;
  open: (sealed: SealedCredential, key: IdentityKey) => Secret;
  audit: AuditPerson;
  /** May be called for every one; few entries are written. */
  onRefused: (refused: RefusedSignIn) => void;
  events: SignInEvents;
  clock: Pick<Clock, "nowMs">;
  random: () => number;
};

type IdentifiedPerson = { personId: string; email: string; returnTo: string; by: By };

/** How long somebody may take over the provider's page. */
const ATTEMPT_MS = 600_000;
/** Longer than the provider may take for one. */
const LEASE_MS = 60_000;
/** Asked about at a time by one process. */
const AT_A_TIME = 8;

/** What groups bring about is done by nobody in particular. */
const BY: By = { actor: "sso", via: "sso" };

const NO_GROUP = "in no group of sign_in.groups";
const LINKED = "first sign-in through the identity provider; their password, sessions and personal tokens ended";
type NotAdmitted = Exclude<SignInAdmission["kind"], "admitted" | "linked">;
const WHY: Record<NotAdmitted, string> = {
  removed: "the person was removed here",
  unverified: "the email is not verified by the provider",
  taken: "the email belongs to a person with another identity",
};
const WHY_NOT: Record<NotAdmitted, string> = {
  removed: "was removed here. An owner can add this address again.",
  unverified:
    "was added here before, and the identity provider does not say that it verified this address. An operator can set sign_in.link_by_email to always.",
  taken:
    "belongs here to a person with another identity at the provider. An owner can remove that person or change their email.",
};

/** Spreads the next ones, so that people who signed in together are not asked about together for ever. */
const jitter = (random: () => number): number => 0.9 + random() / 5;

// oxlint-disable-next-line max-lines-per-function -- three operations and what they share.
export function createSignIn(parts: Parts): SignIn {
  const { provider, mappings, linkByEmail, refreshEveryMs, store, recognise, findAccount, place, events, clock } =
    parts;
  const keyOf = (subject: string): IdentityKey => ({ issuer: provider.issuer, subject });

  /** Why somebody is not let in, by what they are told. */
  const reasons = new WeakMap<Error, string>();
  function because<Refusal extends Error>(reason: string, refusal: Refusal): Refusal {
    reasons.set(refusal, reason);
    return refusal;
  }

  /** The grants of a plan. What the mapping names and is not there is left out and told to the log. */
  async function grantsOf({ roles }: PersonPlan): Promise<Grant[]> {
    const found = await Promise.all(
      roles.map(async ({ role, account }): Promise<Grant[]> => {
        if (account === null) return [{ role, accountId: null }];
        const id = (await findAccount(account).catch(missing(account)))?.id;
        return id === undefined ? [] : [{ role, accountId: id }];
      }),
    );
    return found.flat();
  }

  const missing =
    (account: string) =>
    (error: unknown): null => {
      if (!(error instanceof Fault || error instanceof Conflict)) throw error;
      events.mappedAccountMissing({ account, problem: error.message });
      return null;
    };

  /** Takes what the provider said of somebody as true: who they are, their grants, their account. */
  async function admit(
    { claims, refreshToken }: Identified,
    plan: PersonPlan,
    { was, keptToken, by }: { was: SealedCredential | null; keptToken: Secret | null; by: By },
  ): Promise<Identity> {
    const key = keyOf(claims.subject);
    const atMs = clock.nowMs();
    if (was === null) await enter(claims, key, { atMs, by });
    const token = refreshToken ?? keptToken;
    if (token === null) events.refreshTokenMissing({ email: claims.email });
    await store.keep(key, {
      sealed: token === null ? null : parts.seal(token.reveal(), key),
      groups: claims.groups,
      grants: await grantsOf(plan),
      atMs,
      dueAtMs: atMs + refreshEveryMs * jitter(parts.random),
      was,
    });
    const identity = await store.find(key);
    if (identity === null) throw new Forbidden("This person was removed a moment ago.");
    const their = { proven: claims.email === identity.email && vouched(claims) };
    if (plan.team !== null) await place(identity, plan.team, their).catch(missing(plan.team.account));
    return identity;
  }

  /** What is there under an address is only for who is known to have it. A provider that says nothing vouches for nobody. */
  const vouched = ({ emailVerified }: ProviderClaims): boolean =>
    emailVerified === true || (emailVerified === null && linkByEmail === "always");

  async function enter(
    claims: ProviderClaims,
    key: IdentityKey,
    { atMs, by }: { atMs: number; by: By },
  ): Promise<void> {
    const { email, name, emailVerified } = claims;
    if (emailVerified === false)
      throw because(
        WHY.unverified,
        new Forbidden(`The identity provider has not verified ${email}. Verify the address there, and sign in again.`),
      );
    const admission = await store.admit(key, { newId: createId(atMs), email, name, mayLink: vouched(claims), atMs });
    if ("personId" in admission) {
      if (admission.kind === "linked")
        await parts.audit("person.link", { id: admission.personId, email }, { ...by, reason: LINKED });
      return;
    }
    throw because(WHY[admission.kind], new Forbidden(`${email} ${WHY_NOT[admission.kind]}`));
  }

  /** Ends all that lets them in, and what their account spends. */
  async function leave(key: IdentityKey, why: { was: SealedCredential | null; reason: string }): Promise<void> {
    const identity = await store.find(key);
    if (identity === null || identity.state === "removed") return;
    if (!(await store.leave(key, { atMs: clock.nowMs(), was: why.was }))) return;
    const { personId: id, email } = identity;
    await parts.audit("person.leave", { id, email }, { ...BY, reason: why.reason });
    events.personLeft({ personId: identity.personId, email: identity.email, reason: why.reason });
    await place.suspend(identity);
  }

  async function refresh(key: IdentityKey, sealed: SealedCredential): Promise<void> {
    const again = { atMs: clock.nowMs(), everyMs: refreshEveryMs, jitter: jitter(parts.random) };
    try {
      const token = parts.open(sealed, key);
      const outcome = await provider.refresh(token.reveal(), key.subject);
      if (outcome.kind === "refused") return await leave(key, { was: sealed, reason: outcome.detail });
      if (outcome.kind === "identified") {
        const plan = planPerson(outcome.claims.groups, mappings);
        if (plan === null) return await leave(key, { was: sealed, reason: NO_GROUP });
        return void (await admit(outcome, plan, { was: sealed, keptToken: token, by: BY }));
      }
      events.identityCheckFailed({ detail: outcome.detail });
    } catch (error) {
      events.identityCheckFailed({ detail: error instanceof Error ? error.message : "it failed" });
    }
    await store.failed(key, again);
  }

  /** Throws unless somebody is identified. What went wrong in detail is for the log. */
  function requireIdentified(outcome: Identified | NotIdentified): Identified {
    if (outcome.kind === "identified") return outcome;
    events.signInFailed({ detail: outcome.detail });
    if (outcome.kind === "refused")
      throw because(
        "refused by the provider",
        new Fault("invalid_credentials", "The identity provider refused this sign-in. Start again."),
      );
    const failed = new Fault(
      "service_unavailable",
      "The sign-in could not be completed. Start again; the log says what failed.",
      { retryAfterSeconds: 5 },
    );
    // A code of the provider stands in the log; anybody can send one here.
    throw because(
      outcome.detail.startsWith("the provider answered") ? "failed at the provider" : outcome.detail,
      failed,
    );
  }

  async function identify(came: Came, known: { email: string | null }): Promise<IdentifiedPerson> {
    const { query, state, address, requestId } = came;
    const told = new URLSearchParams(query).get("state");
    const attempt = state === null || told !== state ? null : await store.take(digestOf(state), clock.nowMs());
    if (state === null || attempt === null)
      throw because(
        "not begun in this browser, used already or too old",
        fieldFault(
          "state",
          "This sign-in was not begun in this browser, was used already, or took over 10 minutes. Start again.",
        ),
      );
    const identified = requireIdentified(await provider.finish(query, { ...attempt, state }));
    const { email: claimed, subject, groups } = identified.claims;
    known.email = claimed;
    const plan = planPerson(groups, mappings);
    if (plan === null) {
      await leave(keyOf(subject), { was: null, reason: NO_GROUP });
      throw because(
        NO_GROUP,
        new Forbidden(`${claimed} is in no group that may sign in here. Ask an operator which group you need.`),
      );
    }
    const by = { actor: claimed, address, requestId, via: "sso" } as const;
    const { personId, email } = await admit(identified, plan, { was: null, keptToken: null, by });
    // By the address that they have here, which may not be the one they claim.
    return { personId, email, returnTo: attempt.returnTo, by: { ...by, actor: email } };
  }

  /** Notes why somebody is not let in. */
  async function noted(came: Came): Promise<IdentifiedPerson> {
    const { address, requestId } = came;
    const known = { email: null };
    return identify(came, known).catch((error: unknown) => {
      const reason = error instanceof Error ? reasons.get(error) : undefined;
      const by: By | null = known.email === null ? null : { actor: known.email, via: "sso" };
      const code = error instanceof Fault ? error.code : "forbidden";
      if (reason !== undefined) parts.onRefused({ by, address, requestId, code, reason });
      throw error;
    });
  }

  return {
    begin: async (returnTo) => {
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
    },

    identify: noted,

    finish: async (came) => {
      const { personId, email, returnTo, by } = await noted(came);
      const { address, agent } = came;
      await parts.audit("session.create", { id: personId, email }, { ...by, personId });
      const { secret } = await recognise.openSession(personId, { via: "sso", address, agent, passwordHash: null });
      return { secret, returnTo };
    },

    refreshDue: async () => {
      const due = await store.claim(provider.issuer, { limit: AT_A_TIME, atMs: clock.nowMs(), leaseMs: LEASE_MS });
      await Promise.all(due.flatMap(({ sealed, ...key }) => (sealed === null ? [] : [refresh(key, sealed)])));
      for (const left of await store.unsuspended(provider.issuer, AT_A_TIME)) await place.suspend(left);
      return due.length;
    },
  };
}

const digestOf = (state: string): Buffer => hash("sha256", state, "buffer");
