import type { By } from "../../core/people/by.ts";
import type { Clock } from "../../core/clock.ts";
import { Conflict } from "../../core/conflict.ts";
import { Fault } from "../../core/fault.ts";
import { createId } from "../../core/ids.ts";
import { invariant } from "../../core/invariant.ts";
import { hashPassword, isPassword, type PasswordStore } from "./password.ts";
import { createSessionSecret, secretDigest } from "../person-secret.ts";
import type { PeopleStore, Person } from "../../people/person.ts";
import type { Recognise } from "../recognise.ts";
import type { PersonSession, SessionStore } from "../session/session.ts";
import type { OperatorEvents } from "../../telemetry/operator-events.ts";

export type NewOwner = { email: string; name: string | null; password: string };
export type OpenedSession = { person: Person; session: PersonSession; secret: string };

/** Where a browser is, and the session that it had before. */
export type SignInPlace = { address: string; agent: string; before: string | null };

/** How people get in: with a password, and the first of them with the token of the first start. */
export type PasswordSignIn = {
  withPassword: (given: { email: string; password: string }, place: SignInPlace, by: By) => Promise<OpenedSession>;
  /** Ends a session; what no session has is nothing to end. */
  out: (secret: string, by: By) => Promise<void>;
  /** Makes the first owner, and signs them in. */
  setUp: (token: string, owner: NewOwner, place: SignInPlace, by: By) => Promise<OpenedSession>;
  /** A token for the first owner; null: there are people already. Its token is null where another process offered one less than `leastAgeMs` ago. */
  offerSetup: (leastAgeMs: number) => Promise<{ token: string | null } | null>;
  /** Whether there is or was anybody. */
  isSetUp: () => Promise<boolean>;
  /** Makes the first owner without a token. Throws a conflict where there is or was somebody. */
  makeFirst: (owner: NewOwner, by: By) => Promise<Person>;
};

/** The token that makes the first owner. */
export type SetupStore = {
  /** In place of the one before. False: that is younger than `leastAgeMs`, and stays. */
  offer: (digest: Buffer, times: { expiresAtMs: number; leastAgeMs: number }) => Promise<boolean>;
  /** False: there is no such token, or not any more. */
  take: (digest: Buffer, atMs: number) => Promise<boolean>;
};

type Parts = {
  people: Pick<PeopleStore, "anybody" | "byEmail" | "byId" | "insertFirst">;
  passwords: Pick<PasswordStore, "byEmail">;
  sessions: Pick<SessionStore, "close">;
  recognise: Pick<Recognise, "openSession">;
  setup: SetupStore;
  clock: Pick<Clock, "nowMs">;
  events: Pick<OperatorEvents, "personChanged">;
};

const SETUP_MS = 86_400_000;

export function createPasswordSignIn(parts: Parts): PasswordSignIn {
  const { people, passwords, sessions, recognise, setup, clock, events } = parts;
  async function insertOwner({ email, name, password }: NewOwner, by: By): Promise<Person> {
    const id = createId(clock.nowMs());
    const passwordHash = await hashPassword(password);
    const order = { id, email, name: name ?? email, accountId: null, passwordHash, source: "given" } as const;
    const grants = [{ role: "owner", accountId: null }] as const;
    if ((await people.insertFirst({ ...order, grants, atMs: clock.nowMs() })) === "not_first") throw setUpAlready();
    events.personChanged({ personId: id, email, change: "created as the first owner", ...by });
    const person = await people.byId(id);
    invariant(person, "a person who was made is there");
    return person;
  }

  /** Whatever session the browser had before ends: what was planted in it is worth nothing. */
  async function letIn(
    person: Person,
    { address, agent, before, passwordHash }: SignInPlace & { passwordHash: string | null },
  ): Promise<OpenedSession> {
    if (before !== null) await sessions.close(secretDigest(before));
    return { person, ...(await recognise.openSession(person.id, { via: "password", address, agent, passwordHash })) };
  }

  return {
    withPassword: async ({ email, password }, place, by) => {
      const known = await passwords.byEmail(email);
      const person = (await isPassword(password, known?.hash ?? null)) ? await people.byEmail(email) : null;
      if (person === null) throw new Fault("invalid_credentials", "The email or the password is wrong.");
      events.personChanged({ personId: person.id, email, change: "signed in", ...by });
      return letIn(person, { ...place, passwordHash: known?.hash ?? null });
    },
    out: (secret) => sessions.close(secretDigest(secret)),
    setUp: async (token, owner, place, by) => {
      if (await people.anybody()) throw setUpAlready();
      if (!(await setup.take(secretDigest(token), clock.nowMs())))
        throw new Fault(
          "invalid_credentials",
          "The setup token is wrong, used or older than a day. `tollgate serve` prints a new one when it starts.",
        );
      return letIn(await insertOwner(owner, by), { ...place, passwordHash: null });
    },
    offerSetup: async (leastAgeMs) => {
      if (await people.anybody()) return null;
      const { secret, digest } = createSessionSecret();
      const times = { expiresAtMs: clock.nowMs() + SETUP_MS, leastAgeMs };
      return { token: (await setup.offer(digest, times)) ? secret : null };
    },
    isSetUp: people.anybody,
    makeFirst: insertOwner,
  };
}

const setUpAlready = (): Conflict => new Conflict("The gateway is set up already. Ask an owner to add you.");
