import type { Role } from "../core/people/role.ts";

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
  anybody: () => Promise<boolean>;
};
