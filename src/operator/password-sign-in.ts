import type { By } from "../core/by.ts";
import type { Clock } from "../core/clock.ts";
import { Conflict } from "../core/conflict.ts";
import { Fault } from "../core/fault.ts";
import { createId } from "../core/ids.ts";
import { hashPassword, isPassword } from "../people/password.ts";
import { createSessionSecret, secretDigest } from "../people/person-secret.ts";
import type { PeopleStore, Person, PersonSession, SessionStore } from "../people/person.ts";
import type { Recognise } from "../people/recognise.ts";
import type { SetupStore, SignInThrottle } from "../people/sign-in.ts";
import type { OperatorEvents } from "../telemetry/operator-events.ts";

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
  /** A token for the first owner; null: there are people already. */
  offerSetup: () => Promise<string | null>;
  /** Makes the first owner without a token; false: there are people already. */
  makeFirst: (owner: NewOwner, by: By) => Promise<boolean>;
};

type Parts = {
  people: PeopleStore;
  sessions: Pick<SessionStore, "close">;
  recognise: Pick<Recognise, "openSession">;
  throttle: SignInThrottle;
  setup: SetupStore;
  clock: Pick<Clock, "nowMs">;
  events: Pick<OperatorEvents, "personChanged">;
};

const SETUP_MS = 86_400_000;

// oxlint-disable-next-line max-lines-per-function -- one way in after the other.
export function createPasswordSignIn(parts: Parts): PasswordSignIn {
  const { people, sessions, recognise, throttle, setup, clock, events } = parts;
  /** Null: somebody was faster. */
  async function insertOwner({ email, name, password }: NewOwner, by: By): Promise<Person | null> {
    const id = createId(clock.nowMs());
    const passwordHash = await hashPassword(password);
    const order = { id, email, name: name ?? email, accountId: null, passwordHash, source: "given" } as const;
    const grants = [{ role: "owner", accountId: null }] as const;
    if ((await people.insert({ ...order, grants, atMs: clock.nowMs() })) !== "done") return null;
    events.personChanged({ personId: id, email, change: "created as the first owner", ...by });
    return people.byId(id);
  }

  /** Whatever session the browser had before ends: what was planted in it is worth nothing. */
  async function letIn(person: Person, { address, agent, before }: SignInPlace): Promise<OpenedSession> {
    if (before !== null) await sessions.close(secretDigest(before));
    return { person, ...(await recognise.openSession(person.id, { via: "password", address, agent })) };
  }

  return {
    withPassword: async ({ email, password }, place, by) => {
      const waitMs = await throttle.attempt(email, place.address);
      if (waitMs > 0) throw tooMany(waitMs);
      const known = await people.passwordOf(email);
      const person = (await isPassword(password, known?.hash ?? null)) ? await people.byEmail(email) : null;
      if (person === null) throw new Fault("invalid_credentials", "The email or the password is wrong.");
      await throttle.succeeded(email, place.address);
      events.personChanged({ personId: person.id, email, change: "signed in", ...by });
      return letIn(person, place);
    },
    out: (secret) => sessions.close(secretDigest(secret)),
    setUp: async (token, owner, place, by) => {
      const attempt = `setup from ${place.address}`;
      const waitMs = await throttle.attempt(attempt, place.address);
      if (waitMs > 0) throw tooMany(waitMs);
      if (await people.anybody()) throw setUpAlready();
      if (!(await setup.take(secretDigest(token), clock.nowMs())))
        throw new Fault(
          "invalid_credentials",
          "The setup token is wrong, used or older than a day. `tollgate serve` prints a new one when it starts.",
        );
      await throttle.succeeded(attempt, place.address);
      const person = await insertOwner(owner, by);
      if (person === null) throw setUpAlready();
      return letIn(person, place);
    },
    offerSetup: async () => {
      if (await people.anybody()) return null;
      const { secret, digest } = createSessionSecret();
      await setup.offer(digest, clock.nowMs() + SETUP_MS);
      return secret;
    },
    makeFirst: async (owner, by) => {
      if (await people.anybody()) return false;
      return (await insertOwner(owner, by)) !== null;
    },
  };
}

const setUpAlready = (): Conflict => new Conflict("The gateway is set up already. Ask an owner to add you.");

function tooMany(waitMs: number): Fault {
  const seconds = Math.ceil(waitMs / 1_000);
  return new Fault("rate_limit_exceeded", `Too many failed sign-ins. Please try again in ${seconds}s.`, {
    retryAfterSeconds: seconds,
  });
}
