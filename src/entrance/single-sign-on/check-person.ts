import type { By } from "../../core/people/by.ts";
import type { GroupMapping } from "../../core/people/group-mapping.ts";
import type { SealedCredential } from "../../core/secret/sealed-credential.ts";
import type { Secret } from "../../core/secret/secret.ts";
import { type AdmitParts, admitPerson, jitter } from "./admit-person.ts";
import type { IdentityProvider } from "./identity-provider.ts";
import type { IdentityKey } from "./identity.ts";
import { planPerson } from "./plan-person.ts";

export type CheckParts = AdmitParts & {
  provider: IdentityProvider;
  mappings: readonly GroupMapping[];
  open: (sealed: SealedCredential, key: IdentityKey) => Secret;
};

/** What groups bring about is done by nobody in particular. */
const BY: By = { actor: "sso", via: "sso" };

export const NO_GROUP = "in no group of sign_in.groups";

/** Asks the provider about somebody who is due. Only what it says of them ends their access; whatever fails is tried again. */
export async function checkPerson(parts: CheckParts, key: IdentityKey, sealed: SealedCredential): Promise<void> {
  const { provider, mappings, events, refreshEveryMs } = parts;
  const again = { atMs: parts.clock.nowMs(), everyMs: refreshEveryMs, jitter: jitter(parts.random) };
  try {
    const token = parts.open(sealed, key);
    const outcome = await provider.refresh(token.reveal(), key.subject);
    if (outcome.kind === "refused") return await leave(parts, key, { was: sealed, reason: outcome.detail });
    if (outcome.kind === "identified") {
      const plan = planPerson(outcome.claims.groups, mappings);
      if (plan === null) return await leave(parts, key, { was: sealed, reason: NO_GROUP });
      await admitPerson(parts, outcome, { issuer: provider.issuer, plan, was: { sealed, token }, by: BY });
      return;
    }
    events.identityCheckFailed({ detail: outcome.detail });
  } catch (error) {
    events.identityCheckFailed({ detail: error instanceof Error ? error.message : "it failed" });
  }
  await parts.store.failed(key, again);
}

type Leaving = { was: SealedCredential | null; reason: string };

/** Ends all that lets them in, and what their account spends. */
export async function leave(
  { store, audit, events, place, clock }: AdmitParts,
  key: IdentityKey,
  { was, reason }: Leaving,
): Promise<void> {
  const identity = await store.find(key);
  if (identity === null || identity.state === "removed") return;
  if (!(await store.leave(key, { atMs: clock.nowMs(), was }))) return;
  const { personId, email } = identity;
  await audit("person.leave", { id: personId, email }, { ...BY, reason });
  events.personLeft({ personId, email, reason });
  await place.suspend(identity);
}
