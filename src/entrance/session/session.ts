import { Fault } from "../../core/fault.ts";
import type { Person } from "../../people/person.ts";

export type SignedInVia = "password" | "sso";

/** A browser that somebody signed in with. */
export type PersonSession = {
  id: string;
  personId: string;
  via: SignedInVia;
  createdAtMs: number;
  lastSeenAtMs: number;
  expiresAtMs: number;
  address: string;
  agent: string;
};

export type SessionStore = {
  /** With the hash that the password was compared with; null: it was not by a password. False: it has ended since. */
  open: (session: PersonSession & { digest: Buffer; passwordHash: string | null }) => Promise<boolean>;
  find: (digest: Buffer, atMs: number) => Promise<{ person: Person; session: PersonSession } | null>;
  seen: (session: PersonSession, atMs: number) => Promise<void>;
  close: (digest: Buffer) => Promise<void>;
  of: (personId: string) => Promise<PersonSession[]>;
  /** One of them, or all but one. Answers how many were closed. */
  end: (personId: string, which: { id: string } | { except: string | null }) => Promise<number>;
};

/** For whoever changes how they themselves get in. */
export const sessionEnded = (): Fault =>
  new Fault("invalid_credentials", "This session ended a moment ago. Sign in again.");
