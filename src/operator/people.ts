import type { By } from "../core/people/by.ts";
import type { Clock } from "../core/clock.ts";
import { Conflict } from "../core/conflict.ts";
import { fieldFault } from "../core/fault.ts";
import { Forbidden } from "../core/forbidden.ts";
import { createId } from "../core/ids.ts";
import { invariant } from "../core/invariant.ts";
import { type Keyset, type Page, pageOf, type PageRequest, readCursor } from "../core/page.ts";
import type { Role } from "../core/people/role.ts";
import type { Grant, PeopleStore, Person } from "../people/person.ts";
import { type PersonSession, sessionEnded, type SessionStore } from "../entrance/session/session.ts";
import { hashPassword, isPassword, type PasswordStore } from "../entrance/password/password.ts";
import type { SignInThrottle } from "../entrance/sign-in-throttle.ts";
import type { OperatorEvents } from "../telemetry/operator-events.ts";
import type { ManageAccounts } from "./accounts.ts";
import type { FindAccount } from "./find/find-account.ts";
import { accountWithin } from "./find/find-within.ts";
import { findPerson } from "../people/find-person.ts";
import { throttled } from "../entrance/password/throttled-sign-in.ts";

/** A role, and the account in whose subtree it holds, by its id or the names from the root down; null: everywhere. */
export type GrantOrder = { role: Role; account: string | null };

export type NewPersonOrder = {
  email: string;
  name: string | null;
  /** The account that is theirs. */
  account: string | null;
  grants: readonly GrantOrder[];
  /** They change it themselves later; null: they can't sign in with a password yet. */
  password: string | null;
};

export type PersonUpdate = { name?: string; email?: string; account?: string | null };

/** Whose password is set: one's own, with the one until now, or somebody else's. */
export type PasswordOrder = { password: string; current: string | null };

/** What operators do with people. A person is named by their id or their email. */
export type ManagePeople = {
  create: (order: NewPersonOrder, by: By) => Promise<Person>;
  /** By email. */
  list: (page: PageRequest, by?: Pick<By, "within">) => Promise<Page<Person>>;
  show: (name: string) => Promise<Person>;
  update: (name: string, changes: PersonUpdate, by: By) => Promise<Person>;
  /** Ends their sessions and tokens at once, and suspends their account if it is of the kind `person`. Their name stays in the journal and in the log. */
  remove: (name: string, by: By) => Promise<Person>;
  /** All that they are given; what follows from groups stays. */
  setGrants: (name: string, grants: readonly GrantOrder[], by: By) => Promise<Person>;
  /** Some of them, whatever the others are. */
  changeGrants: (
    name: string,
    change: Readonly<Record<"add" | "remove", readonly GrantOrder[]>>,
    by: By,
  ) => Promise<{ person: Person; changed: boolean }>;
  setPassword: (name: string, order: PasswordOrder, by: By) => Promise<Person>;
  sessions: (name: string) => Promise<readonly Omit<PersonSession, "personId">[]>;
  /** Answers how many there were. `except`: the one that goes on; null: none does. */
  endSessions: (name: string, which: { except: string | null }, by: By) => Promise<{ ended: number }>;
  endSession: (name: string, id: string, by: By) => Promise<{ ended: number }>;
};

type Parts = {
  people: PeopleStore;
  passwords: PasswordStore;
  sessions: Pick<SessionStore, "of" | "end">;
  accounts: Pick<ManageAccounts, "changeStatus">;
  findAccount: FindAccount;
  throttle: SignInThrottle;
  clock: Pick<Clock, "nowMs">;
  events: Pick<OperatorEvents, "personChanged">;
};

const BY_EMAIL: Keyset = { list: "people", values: [/^[^\0]{3,254}$/su] };

export function createManagePeople(parts: Parts): ManagePeople {
  const { people, sessions } = parts;
  return {
    create: (order, by) => create(parts, order, by),
    list: async ({ limit, after }, { within } = {}) => {
      const [last = null] = readCursor(BY_EMAIL, after) ?? [];
      const rows = await people.list({ limit: limit + 1, after: last, within: within ?? null });
      return pageOf(rows, { limit, list: BY_EMAIL.list, valuesOf: ({ email }) => [email] });
    },
    show: (name) => findPerson(people, name),
    update: async (name, changes, by) => update(parts, { person: await findPerson(people, name), changes }, by),
    remove: async (name, by) => remove(parts, await findPerson(people, name), by),
    setGrants: async (name, grants, by) => {
      const { id } = await findPerson(people, name);
      requireDone(await people.setGrants(id, await placeGrants(parts, grants, by), "given"));
      return noteChange(parts, { id, change: `granted ${rolesOf(grants)}` }, by);
    },
    changeGrants: async (name, change, by) =>
      changeGrants(parts, { person: await findPerson(people, name), ...change }, by),
    setPassword: async (name, order, by) => setPassword(parts, { person: await findPerson(people, name), order }, by),
    sessions: async (name) => sessions.of((await findPerson(people, name)).id),
    endSessions: (name, which, by) => endSessions(parts, { name, which }, by),
    endSession: (name, id, by) => endSessions(parts, { name, which: { id } }, by),
  };
}

async function create(parts: Parts, order: NewPersonOrder, by: By): Promise<Person> {
  const { email, name, account, password } = order;
  const atMs = parts.clock.nowMs();
  const id = createId(atMs);
  const grants = await placeGrants(parts, order.grants, by);
  const accountId = account === null ? null : await accountOf(parts, account, by);
  if (by.within !== undefined && accountId === null && grants.length === 0)
    throw new Forbidden("Your role holds for some accounts alone: give the person an account or a role in one.");
  const passwordHash = password === null ? null : await hashPassword(password);
  const person = { id, email, name: name ?? email, accountId, passwordHash, grants, source: "given", atMs } as const;
  if ((await parts.people.insert(person)) === "email_taken") throw taken(email);
  return noteChange(parts, { id, change: "created" }, by);
}

async function update(
  parts: Parts,
  { person: { id }, changes: { account, ...others } }: { person: Person; changes: PersonUpdate },
  by: By,
): Promise<Person> {
  if (account === null && by.within !== undefined)
    throw new Forbidden("Your role holds for some accounts alone: a person of theirs keeps an account in one.");
  const accountId = typeof account === "string" ? await accountOf(parts, account, by) : account;
  const done = await parts.people.update(id, { ...others, ...(accountId !== undefined && { accountId }) });
  if (done === "email_taken") throw taken(others.email ?? "");
  if (done === "unknown") throw gone();
  const fields = [...Object.keys(others), ...(account === undefined ? [] : ["account"])];
  return noteChange(parts, { id, change: `changed ${fields.join()}` }, by);
}

async function remove(parts: Parts, { id, accountId }: Person, by: By): Promise<Person> {
  requireDone(await parts.people.remove(id, parts.clock.nowMs()));
  const theirs = accountId === null ? null : await parts.findAccount(accountId);
  // Its keys are refused from now on, and running streams are cut. A team goes on without them.
  if (theirs?.kind === "person" && theirs.status === "active")
    await parts.accounts.changeStatus(theirs.id, "suspend", by);
  return noteChange(parts, { id, change: "removed" }, by);
}

type GrantChange = { person: Person } & Readonly<Record<"add" | "remove", readonly GrantOrder[]>>;

async function changeGrants(parts: Parts, { person: { id }, add, remove }: GrantChange, by: By) {
  const given = await placeGrants(parts, add, by);
  const done = await parts.people.changeGrants(id, { add: given, remove: await placeGrants(parts, remove, by) });
  if (requireDone(done) === "unchanged") return { person: await findPerson(parts.people, id), changed: false };
  const words = [add.length > 0 && `given ${rolesOf(add)}`, remove.length > 0 && `taken ${rolesOf(remove)}`];
  return { person: await noteChange(parts, { id, change: words.filter(Boolean).join("; ") }, by), changed: true };
}

async function setPassword(
  parts: Parts,
  { person: { id, email }, order: { password, current } }: { person: Person; order: PasswordOrder },
  by: By,
): Promise<Person> {
  const { passwords, sessions, throttle } = parts;
  if (by.personId === id) {
    // Whoever has their session, and not their password, guesses it no faster here than at the door.
    await throttled(throttle, { subject: email, address: by.address ?? "" }, async () => {
      const { hash = null } = (await passwords.byEmail(email)) ?? {};
      if (hash !== null && !(await isPassword(current ?? "", hash)))
        throw fieldFault("current", "Input should be your password until now");
    });
  }
  // What ends a session of theirs meanwhile must not leave a password behind that was set in it.
  const sessionId = by.personId === id ? (by.sessionId ?? null) : null;
  if (!(await passwords.set(id, await hashPassword(password), sessionId)))
    throw sessionId === null ? gone() : sessionEnded();
  await sessions.end(id, { except: null });
  return noteChange(parts, { id, change: "password set" }, by);
}

type WhoseSessions = { name: string; which: { id: string } | { except: string | null } };

async function endSessions(parts: Parts, { name, which }: WhoseSessions, by: By): Promise<{ ended: number }> {
  const { id } = await findPerson(parts.people, name);
  const ended = await parts.sessions.end(id, which);
  if (ended > 0) await noteChange(parts, { id, change: `${ended} sessions ended` }, by);
  return { ended };
}

/** Where a grant holds must be in the accounts of whoever gives it. */
async function placeGrants(parts: Parts, orders: readonly GrantOrder[], by: By): Promise<Grant[]> {
  const grants: Grant[] = [];
  for (const { role, account } of orders) {
    if (account === null && by.within !== undefined)
      throw new Forbidden("Your role holds for some accounts alone: name one of them in each grant.");
    grants.push({ role, accountId: account === null ? null : await accountOf(parts, account, by) });
  }
  return grants;
}

const accountOf = async ({ findAccount }: Parts, name: string, { within }: By): Promise<string> =>
  (await accountWithin(findAccount, { name, within })).id;

/** Tells the log of a change, and answers the person as they are after it. */
async function noteChange(
  { people, events }: Parts,
  { id, change }: { id: string; change: string },
  by: By,
): Promise<Person> {
  const person = await people.byId(id);
  invariant(person, "a person who was found is there");
  events.personChanged({ personId: id, email: person.email, change, ...by });
  return person;
}

function requireDone<Done extends string>(done: Done): Exclude<Done, "last_owner" | "unknown"> {
  if (done === "last_owner") throw lastOwner();
  if (done === "unknown") throw gone();
  return done as Exclude<Done, "last_owner" | "unknown">;
}

const rolesOf = (grants: readonly GrantOrder[]): string =>
  grants.map(({ role, account }) => `${role} ${account ?? "everywhere"}`).join(", ");

const taken = (email: string): Conflict => new Conflict(`Another person has the email ${email}. Nothing was changed.`);
const gone = (): Conflict => new Conflict("This person was removed. Add them again to give them access.");
const lastOwner = (): Conflict =>
  new Conflict("This is the last owner everywhere. Make another person an owner first. Nothing was changed.");
