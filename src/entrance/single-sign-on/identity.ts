import type { SealedCredential } from "../../core/secret/sealed-credential.ts";
import type { Grant } from "../../people/person.ts";

/** Somebody as an identity provider names them. */
export type IdentityKey = { issuer: string; subject: string };

/** Who a person is at an identity provider, and what followed from it. */
export type Identity = IdentityKey & {
  personId: string;
  email: string;
  state: "active" | "removed";
  accountId: string | null;
  /** Null: the provider gave no refresh token, so that it can't be asked. */
  sealed: SealedCredential | null;
  /** Their account was suspended because they left. */
  suspended: boolean;
  /** The team and the monthly limit that were set last, in nano-credits: what operators changed since stays. */
  teamId: string | null;
  monthly: bigint | null;
};

/** A sign-in that has begun. The state itself is in the browser. */
export type BegunSignIn = { stateDigest: Buffer; nonce: string; verifier: string; returnTo: string };

export type SignInAdmission =
  /** `linked`: to somebody who was added here with the same email, and whose password, sessions and tokens ended with it. */
  | { kind: "admitted" | "linked"; personId: string }
  /**
   * `removed`: by an operator. `unverified`: somebody here has the email, and the provider does not vouch for it. `taken`: whoever has it
   * here is somebody else at the provider.
   */
  | { kind: "removed" | "unverified" | "taken" };

export type IdentityStore = {
  /** Where too many have begun and not come back, the oldest are forgotten. */
  begin: (attempt: BegunSignIn, times: { atMs: number; expiresAtMs: number }) => Promise<void>;
  /** Each is good for once. */
  take: (stateDigest: Buffer, atMs: number) => Promise<BegunSignIn | null>;
  find: (key: IdentityKey) => Promise<Identity | null>;
  /** The groups that somebody was in when the provider was asked last. */
  groupsOf: (personId: string) => Promise<readonly string[]>;
  /** Finds, restores or makes the person. Of several at once for the same person, one makes them and the others find them. */
  admit: (
    key: IdentityKey,
    who: { newId: string; email: string; name: string; mayLink: boolean; atMs: number },
  ) => Promise<SignInAdmission>;
  /**
   * Notes what the provider said and replaces the grants that follow from groups. `was`: only if the refresh token is still this one, for
   * somebody may have signed in meanwhile. False: it was not.
   */
  keep: (
    key: IdentityKey,
    told: {
      sealed: SealedCredential | null;
      groups: readonly string[];
      grants: readonly Grant[];
      atMs: number;
      dueAtMs: number;
      was: SealedCredential | null;
    },
  ) => Promise<boolean>;
  placed: (
    key: IdentityKey,
    place: { accountId: string; teamId: string; monthly: bigint | null; suspended: boolean },
  ) => Promise<void>;
  /** Before their account is suspended, so that it is known why; and when that is done. */
  suspending: (key: IdentityKey) => Promise<void>;
  suspended: (key: IdentityKey) => Promise<void>;
  /** Those who left and whose account has not been dealt with yet, since a process ended in between. */
  unsuspended: (issuer: string, limit: number) => Promise<Identity[]>;
  /** Ends grants, sessions, tokens and password at once. They can come back: a sign-in that succeeds restores them. */
  leave: (key: IdentityKey, left: { atMs: number; was: SealedCredential | null }) => Promise<boolean>;
  /** Those that are due, for this process alone until the lease ends. */
  claim: (issuer: string, take: { limit: number; atMs: number; leaseMs: number }) => Promise<Identity[]>;
  /** Nothing is known: they are asked about again, later each time up to the usual interval. */
  failed: (key: IdentityKey, again: { atMs: number; everyMs: number; jitter: number }) => Promise<void>;
  /** Whether an account is another person's. */
  isTaken: (accountId: string, personId: string) => Promise<boolean>;
};
