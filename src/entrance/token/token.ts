import type { Role } from "../../core/people/role.ts";
import type { Person } from "../../people/person.ts";

/** A token for programs that act as a person. */
export type PersonalToken = {
  id: string;
  prefix: string;
  personId: string;
  email: string;
  name: string;
  /** Narrower than its person; null: as its person. */
  role: Role | null;
  accountId: string | null;
  account: string | null;
  createdAtMs: number;
  expiresAtMs: number;
  lastUsedAtMs: number | null;
  revokedAtMs: number | null;
};

export type NewToken = Pick<
  PersonalToken,
  "id" | "prefix" | "personId" | "name" | "role" | "accountId" | "createdAtMs" | "expiresAtMs"
> & {
  digest: Buffer;
  /** In which its person made it; null: somebody else did. */
  sessionId: string | null;
};

/** `path`: the account that a token was narrowed to and those above it, from the root down. */
export type NarrowedToken = PersonalToken & { path: readonly string[] | null };

export type TokenStore = {
  /** False: the person was removed, or the session has ended. */
  insert: (token: NewToken) => Promise<boolean>;
  find: (digest: Buffer, atMs: number) => Promise<{ person: Person; token: NarrowedToken } | null>;
  used: (id: string, atMs: number) => Promise<void>;
  /** Newest first. */
  list: (page: { limit: number; after: string | null; personId: string | null }) => Promise<PersonalToken[]>;
  byId: (id: string) => Promise<PersonalToken | null>;
  revoke: (id: string, atMs: number) => Promise<boolean>;
};
