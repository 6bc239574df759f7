import type { By } from "../core/by.ts";
import type { Clock } from "../core/clock.ts";
import { Conflict } from "../core/conflict.ts";
import { Fault, fieldFault } from "../core/fault.ts";
import { Forbidden } from "../core/forbidden.ts";
import { createId } from "../core/ids.ts";
import { invariant } from "../core/invariant.ts";
import { type Keyset, type Page, pageOf, type PageRequest, readCursor } from "../core/page.ts";
import type { Role } from "../core/role.ts";
import type { Grant, PeopleStore, Person } from "../people/person.ts";
import { type PersonSession, sessionEnded, type SessionStore } from "../entrance/session/session.ts";
import { hashPassword, isPassword, type PasswordStore } from "../entrance/password/password.ts";
import type { SignInThrottle } from "../entrance/sign-in-throttle.ts";
import type { OperatorEvents } from "../telemetry/operator-events.ts";
import type { ManageAccounts } from "./accounts.ts";
import type { FindAccount } from "./find-account.ts";
import { accountWithin } from "./find-within.ts";
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

// oxlint-disable-next-line max-lines-per-function -- one short operation after the other.
export function createManagePeople({
  people,
  passwords,
  sessions,
  accounts,
  findAccount,
  throttle,
  clock,
  events,
}: Parts): ManagePeople {
  /** Where a grant holds must be in the accounts of whoever gives it. */
  async function placed(grants: readonly GrantOrder[], { within }: By): Promise<Grant[]> {
    const found: Grant[] = [];
    for (const { role, account } of grants) {
      if (account === null && within !== undefined)
        throw new Forbidden("Your role holds for some accounts alone: name one of them in each grant.");
      found.push({ role, accountId: account === null ? null : await theirs(account, within) });
    }
    return found;
  }

  const theirs = async (name: string, within: By["within"]): Promise<string> =>
    (await accountWithin(findAccount, { name, within })).id;

  async function changed(id: string, change: string, by: By): Promise<Person> {
    const person = await people.byId(id);
    invariant(person, "a person who was found is there");
    events.personChanged({ personId: id, email: person.email, change, ...by });
    return person;
  }

  async function end(name: string, which: { id: string } | { except: string | null }, by: By) {
    const { id } = await findPerson(people, name);
    const ended = await sessions.end(id, which);
    if (ended > 0) await changed(id, `${ended} sessions ended`, by);
    return { ended };
  }

  return {
    create: async ({ email, name, account, grants, password }, by) => {
      const id = createId(clock.nowMs());
      const given = await placed(grants, by);
      const accountId = account === null ? null : await theirs(account, by.within);
      if (by.within !== undefined && accountId === null && given.length === 0)
        throw new Forbidden("Your role holds for some accounts alone: give the person an account or a role in one.");
      const passwordHash = password === null ? null : await hashPassword(password);
      const order = {
        id,
        email,
        name: name ?? email,
        accountId,
        passwordHash,
        grants: given,
        source: "given",
      } as const;
      if ((await people.insert({ ...order, atMs: clock.nowMs() })) === "email_taken") throw taken(email);
      return changed(id, "created", by);
    },
    list: async ({ limit, after }, { within } = {}) => {
      const [last = null] = readCursor(BY_EMAIL, after) ?? [];
      const rows = await people.list({ limit: limit + 1, after: last, within: within ?? null });
      return pageOf(rows, { limit, list: BY_EMAIL.list, valuesOf: ({ email }) => [email] });
    },
    show: (name) => findPerson(people, name),
    update: async (name, { account, ...changes }, by) => {
      const { id } = await findPerson(people, name);
      if (account === null && by.within !== undefined)
        throw new Forbidden("Your role holds for some accounts alone: a person of theirs keeps an account in one.");
      const accountId = typeof account === "string" ? await theirs(account, by.within) : account;
      const done = await people.update(id, { ...changes, ...(accountId === undefined ? {} : { accountId }) });
      if (done === "email_taken") throw taken(changes.email ?? "");
      if (done === "unknown") throw gone();
      return changed(
        id,
        `changed ${[...Object.keys(changes), ...(account === undefined ? [] : ["account"])].join()}`,
        by,
      );
    },
    remove: async (name, by) => {
      const { id, accountId } = await findPerson(people, name);
      const done = await people.remove(id, clock.nowMs());
      if (done === "last_owner") throw lastOwner();
      if (done === "unknown") throw gone();
      const theirs = accountId === null ? null : await findAccount(accountId);
      // Its keys are refused from now on, and running streams are cut. A team goes on without them.
      if (theirs?.kind === "person" && theirs.status === "active")
        await accounts.changeStatus(theirs.id, "suspend", by);
      return changed(id, "removed", by);
    },
    setGrants: async (name, grants, by) => {
      const { id } = await findPerson(people, name);
      const done = await people.setGrants(id, await placed(grants, by), "given");
      if (done === "last_owner") throw lastOwner();
      if (done === "unknown") throw gone();
      return changed(id, `granted ${rolesOf(grants)}`, by);
    },
    changeGrants: async (name, { add, remove }, by) => {
      const { id } = await findPerson(people, name);
      const done = await people.changeGrants(id, { add: await placed(add, by), remove: await placed(remove, by) });
      if (done === "last_owner") throw lastOwner();
      if (done === "unknown") throw gone();
      if (done === "unchanged") return { person: await findPerson(people, id), changed: false };
      const told = [add.length > 0 && `given ${rolesOf(add)}`, remove.length > 0 && `taken ${rolesOf(remove)}`];
      return { person: await changed(id, told.filter(Boolean).join("; "), by), changed: true };
    },
    setPassword: async (name, { password, current }, by) => {
      const { id, email } = await findPerson(people, name);
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
      return changed(id, "password set", by);
    },
    sessions: async (name) => sessions.of((await findPerson(people, name)).id),
    endSessions: end,
    endSession: (name, id, by) => end(name, { id }, by),
  };
}

const rolesOf = (grants: readonly GrantOrder[]): string =>
  grants.map(({ role, account }) => `${role} ${account ?? "everywhere"}`).join(", ");

const taken = (email: string): Conflict => new Conflict(`Another person has the email ${email}. Nothing was changed.`);
const gone = (): Conflict => new Conflict("This person was removed. Add them again to give them access.");
const lastOwner = (): Conflict =>
  new Conflict("This is the last owner everywhere. Make another person an owner first. Nothing was changed.");
