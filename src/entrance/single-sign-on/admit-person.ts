import type { By } from "../../core/people/by.ts";
import type { Clock } from "../../core/clock.ts";
import { Conflict } from "../../core/conflict.ts";
import { Fault } from "../../core/fault.ts";
import { Forbidden } from "../../core/forbidden.ts";
import { createId } from "../../core/ids.ts";
import type { SealedCredential } from "../../core/secret/sealed-credential.ts";
import type { Secret } from "../../core/secret/secret.ts";
import type { Grant } from "../../people/person.ts";
import type { SignInEvents } from "../../telemetry/sign-in-events.ts";
import type { AuditPerson } from "../audit-person.ts";
import type { Identified } from "./identity-provider.ts";
import type { Identity, IdentityKey, IdentityStore, SignInAdmission } from "./identity.ts";
import { SignInRefusal } from "./sign-in-refusal.ts";
import type { PlacePerson } from "./place-person.ts";
import type { PersonPlan } from "./plan-person.ts";
import type { ProviderClaims } from "./read-claims.ts";

export type AdmitParts = {
  linkByEmail: "verified" | "always";
  refreshEveryMs: number;
  store: IdentityStore;
  findAccount: (name: string) => Promise<{ id: string }>;
  place: PlacePerson;
  seal: (token: string, key: IdentityKey) => SealedCredential;
  audit: AuditPerson;
  events: SignInEvents;
  clock: Pick<Clock, "nowMs">;
  random: () => number;
};

type Admitting = {
  issuer: string;
  plan: PersonPlan;
  /** The refresh token that they were asked about with; null: they signed in. */
  was: { sealed: SealedCredential; token: Secret } | null;
  by: By;
};

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
export const jitter = (random: () => number): number => 0.9 + random() / 5;

/** Takes what the provider said of somebody as true: who they are, their grants, their account. */
export async function admitPerson(
  parts: AdmitParts,
  { claims, refreshToken }: Identified,
  { issuer, plan, was, by }: Admitting,
): Promise<Identity> {
  const { store, events, refreshEveryMs } = parts;
  const key = { issuer, subject: claims.subject };
  const atMs = parts.clock.nowMs();
  if (was === null) await enter(parts, claims, { key, atMs, by });
  const token = refreshToken ?? was?.token ?? null;
  if (token === null) events.refreshTokenMissing({ email: claims.email });
  await store.keep(key, {
    sealed: token === null ? null : parts.seal(token.reveal(), key),
    groups: claims.groups,
    grants: await grantsOf(parts, plan),
    atMs,
    dueAtMs: atMs + refreshEveryMs * jitter(parts.random),
    was: was?.sealed ?? null,
  });
  const identity = await store.find(key);
  if (identity === null) throw new Forbidden("This person was removed a moment ago.");
  const their = { proven: claims.email === identity.email && isVouchedFor(claims, parts) };
  if (plan.team !== null) await parts.place(identity, plan.team, their).catch(missing(plan.team.account, events));
  return identity;
}

type Entering = { key: IdentityKey; atMs: number; by: By };

/** Finds or makes the person of somebody who signs in. */
async function enter(parts: AdmitParts, claims: ProviderClaims, { key, atMs, by }: Entering): Promise<void> {
  const { email, name, emailVerified } = claims;
  if (emailVerified === false)
    throw new SignInRefusal(
      WHY.unverified,
      new Forbidden(`The identity provider has not verified ${email}. Verify the address there, and sign in again.`),
    );
  const mayLink = isVouchedFor(claims, parts);
  const admission = await parts.store.admit(key, { newId: createId(atMs), email, name, mayLink, atMs });
  if (!("personId" in admission))
    throw new SignInRefusal(WHY[admission.kind], new Forbidden(`${email} ${WHY_NOT[admission.kind]}`));
  if (admission.kind === "linked")
    await parts.audit("person.link", { id: admission.personId, email }, { ...by, reason: LINKED });
}

/** What is there under an address is only for who is known to have it. A provider that says nothing vouches for nobody. */
const isVouchedFor = ({ emailVerified }: ProviderClaims, { linkByEmail }: Pick<AdmitParts, "linkByEmail">): boolean =>
  emailVerified === true || (emailVerified === null && linkByEmail === "always");

/** The grants of a plan. What the mapping names and is not there is left out and told to the log. */
async function grantsOf({ findAccount, events }: AdmitParts, { roles }: PersonPlan): Promise<Grant[]> {
  const found = await Promise.all(
    roles.map(async ({ role, account }): Promise<Grant[]> => {
      if (account === null) return [{ role, accountId: null }];
      const id = (await findAccount(account).catch(missing(account, events)))?.id;
      return id === undefined ? [] : [{ role, accountId: id }];
    }),
  );
  return found.flat();
}

const missing =
  (account: string, events: SignInEvents) =>
  (error: unknown): null => {
    if (!(error instanceof Fault || error instanceof Conflict)) throw error;
    events.mappedAccountMissing({ account, problem: error.message });
    return null;
  };
