import type { Role } from "../core/role.ts";

/** A role, and the account in whose subtree it holds; null: everywhere. */
export type Grant = { role: Role; accountId: string | null };

/** `sso`: it follows from groups of the identity provider. */
export type GrantSource = "given" | "sso";

export type HeldGrant = Grant & {
  source: GrantSource;
  /** The names of the account from the root down. */
  account: string | null;
  /** The account and those above it, from the root down. */
  path: readonly string[] | null;
};

export type Person = {
  id: string;
  email: string;
  name: string;
  state: "active" | "removed";
  /** The account that is theirs. */
  accountId: string | null;
  account: string | null;
  hasPassword: boolean;
  /** Whether the identity provider knows them and lets them in. */
  hasSso: boolean;
  createdAtMs: number;
  removedAtMs: number | null;
  lastSeenAtMs: number | null;
  grants: readonly HeldGrant[];
};

export type NewPerson = {
  id: string;
  email: string;
  name: string;
  accountId: string | null;
  passwordHash: string | null;
  grants: readonly Grant[];
  source: GrantSource;
  atMs: number;
};

export type PersonChanges = { email?: string; name?: string; accountId?: string | null };

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

/** Whom a credential belongs to. `path`: the account that a token was narrowed to and those above it, from the root down. */
export type Recognised = {
  person: Person;
  session: PersonSession | null;
  token: (PersonalToken & { path: readonly string[] | null }) | null;
};

export type PeopleStore = {
  insert: (person: NewPerson) => Promise<"done" | "email_taken">;
  /** Of several at once, one is the first. */
  insertFirst: (person: NewPerson) => Promise<"done" | "not_first">;
  byId: (id: string) => Promise<Person | null>;
  /** Of those who were not removed. */
  byEmail: (email: string) => Promise<Person | null>;
  /** By email. `within`: those alone whose account and grants all lie there. */
  list: (page: { limit: number; after: string | null; within: readonly string[] | null }) => Promise<Person[]>;
  /** Whether they would be in the list of a lead of these accounts. */
  belongs: (id: string, within: readonly string[]) => Promise<boolean>;
  update: (id: string, changes: PersonChanges) => Promise<"done" | "email_taken" | "unknown">;
  /** Takes grants, sessions, tokens and the password along. */
  remove: (id: string, atMs: number) => Promise<"done" | "last_owner" | "unknown">;
  /** Replaces the grants of one source. */
  setGrants: (id: string, grants: readonly Grant[], source: GrantSource) => Promise<"done" | "last_owner" | "unknown">;
  /** Gives and takes grants of the source `given`; `unchanged`: they were so already. */
  changeGrants: (
    id: string,
    change: Readonly<Record<"add" | "remove", readonly Grant[]>>,
  ) => Promise<"done" | "unchanged" | "last_owner" | "unknown">;
  /** False: they were removed, or `sessionId`, the session in which they set their own, has ended. */
  setPassword: (id: string, hash: string, sessionId: string | null) => Promise<boolean>;
  /** Null: nobody has this email. The hash is null for those who have no password. */
  passwordOf: (email: string) => Promise<{ personId: string; hash: string | null } | null>;
  anybody: () => Promise<boolean>;
};

export type SessionStore = {
  /** With the hash that the password was compared with; null: it was not by a password. False: it has ended since. */
  open: (session: PersonSession & { digest: Buffer; passwordHash: string | null }) => Promise<boolean>;
  find: (digest: Buffer, atMs: number) => Promise<Recognised | null>;
  seen: (session: PersonSession, atMs: number) => Promise<void>;
  close: (digest: Buffer) => Promise<void>;
  of: (personId: string) => Promise<PersonSession[]>;
  /** One of them, or all but one. Answers how many were closed. */
  end: (personId: string, which: { id: string } | { except: string | null }) => Promise<number>;
};

export type TokenStore = {
  /** False: the person was removed, or the session has ended. */
  insert: (token: NewToken) => Promise<boolean>;
  find: (digest: Buffer, atMs: number) => Promise<Recognised | null>;
  used: (id: string, atMs: number) => Promise<void>;
  /** Newest first. */
  list: (page: { limit: number; after: string | null; personId: string | null }) => Promise<PersonalToken[]>;
  byId: (id: string) => Promise<PersonalToken | null>;
  revoke: (id: string, atMs: number) => Promise<boolean>;
};
