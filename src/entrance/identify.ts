import { Fault } from "../core/fault.ts";
import type { Role } from "../core/people/role.ts";
import type { Recognise, Recognised } from "./recognise.ts";
import type { PersonalToken } from "./token/token.ts";
import type { PeopleStore, Person } from "../people/person.ts";
import { reachOf, type RoleReach } from "../people/reach.ts";
import { findPerson } from "../people/find-person.ts";

/** A person at the door, and where they may do what. */
export type KnownPerson = {
  person: Person;
  via: "password" | "sso" | "token";
  sessionId: string | null;
  /** What they came with; null: a session. */
  token: PersonalToken | null;
  reach: (roles: readonly Role[]) => RoleReach;
};

/** What can be named in a request and lies somewhere in the tree of accounts. */
export type PlaceKind = "account" | "key" | "holder" | "person";

/** Its id, and whether it lies in a subtree; `isTop`: it is one of the accounts themselves. */
export type Placed = { id: string; isInside: boolean; isTop: boolean };

/** Whom a credential belongs to, and whether what they name is theirs. */
export type Identify = {
  bySession: (secret: string) => Promise<KnownPerson | null>;
  byToken: (secret: string) => Promise<KnownPerson | null>;
  /** Found as the use cases find it, and named by its id from then on, so that both mean the same. Null: there is no such thing. */
  place: (kind: PlaceKind, name: string, within: readonly string[]) => Promise<Placed | null>;
};

type Parts = {
  recognise: Pick<Recognise, "bySession" | "byToken">;
  findKey: (name: string) => Promise<{ id: string; accounts: readonly string[] }>;
  findAccount: (name: string) => Promise<{ id: string; path: readonly string[] }>;
  people: Pick<PeopleStore, "byId" | "byEmail" | "belongs">;
};

export function createIdentify({ recognise, findKey, findAccount, people }: Parts): Identify {
  const keyAt = async (name: string) => {
    const { id, accounts } = await findKey(name);
    return { id, path: accounts };
  };
  const find: Record<
    Exclude<PlaceKind, "person">,
    (name: string) => Promise<{ id: string; path: readonly string[] }>
  > = {
    key: keyAt,
    account: findAccount,
    // As thresholds are: a key first.
    holder: async (name) => (await keyAt(name).catch(nothingFound)) ?? findAccount(name),
  };
  return {
    bySession: async (secret) => known(await recognise.bySession(secret)),
    byToken: async (secret) => known(await recognise.byToken(secret)),
    place: async (kind, name, within) => {
      if (kind === "person") {
        const person = await findPerson(people, name).catch(nothingFound);
        return person && { id: person.id, isInside: await people.belongs(person.id, within), isTop: false };
      }
      const found = await find[kind](name).catch(nothingFound);
      if (found === null) return null;
      const { id, path } = found;
      return { id, isInside: path.some((above) => within.includes(above)), isTop: within.includes(id) };
    },
  };
}

/** Whatever is wrong with a name, a lead learns nothing of what is elsewhere. */
function nothingFound(error: unknown): null {
  if (error instanceof Fault) return null;
  throw error;
}

function known(found: Recognised | null): KnownPerson | null {
  if (found === null) return null;
  const { person, session, token } = found;
  return {
    person,
    via: session?.via ?? "token",
    sessionId: session?.id ?? null,
    token,
    reach: (roles) => reachOf({ grants: person.grants, token }, roles),
  };
}
