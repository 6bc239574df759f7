import { afterAll, beforeAll, expect, test } from "vitest";
import { emptyDatabase } from "../../../tests/support/admin-app.ts";
import { whyUnavailable } from "../../../tests/support/postgres.ts";
import { until } from "../../../tests/support/until.ts";
import { createId } from "../../core/ids.ts";
import type { Database } from "../../db/database.ts";
import { createIdentityStore } from "./identity-store.ts";
import type { IdentityStore, SignInAdmission } from "./identity.ts";
import { hashPassword, type PasswordStore } from "../password/password.ts";
import { createPasswordStore } from "../password/password-store.ts";
import { createPeopleStore } from "../../people/people-store.ts";
import type { PeopleStore } from "../../people/person.ts";
import { createTokenSecret } from "../person-secret.ts";
import { createRecognise, type Recognise } from "../recognise.ts";
import { createSessionStore } from "../session/session-store.ts";
import { createTokenStore } from "../token/token-store.ts";
import { endWaysIn } from "../../people/ways-in-store.ts";

const ISSUER = "https://id.acme.example";
const FROM = { address: "192.0.2.1", agent: "a browser" } as const;

let database: Database;
let people: PeopleStore;
let passwords: PasswordStore;
let identities: IdentityStore;
let recognise: Recognise;
let now = Date.UTC(2026, 0, 5);
const nowMs = () => now;

beforeAll(async () => {
  database = await emptyDatabase();
  people = createPeopleStore(database);
  passwords = createPasswordStore(database);
  identities = createIdentityStore(database);
  recognise = createRecognise({ sessions: createSessionStore(database), tokens: createTokenStore(database), nowMs });
}, 150_000);
afterAll(() => database.close());

/** Somebody who was added by hand, and what they could get in with. */
async function added(email: string) {
  const id = createId(now++);
  const passwordHash = await hashPassword("a phrase that a lead knows");
  const order = { id, email, name: email, accountId: null, passwordHash, source: "given" } as const;
  await people.insert({ ...order, grants: [{ role: "viewer", accountId: null }], atMs: now });
  const { secret: cookie } = await recognise.openSession(id, { ...FROM, via: "password", passwordHash });
  const { secret: token, digest, prefix } = createTokenSecret();
  const narrowed = { role: null, accountId: null, createdAtMs: now, expiresAtMs: now + 86_400_000 };
  await createTokenStore(database).insert({
    id: createId(now++),
    digest,
    prefix,
    personId: id,
    name: "a program",
    sessionId: null,
    ...narrowed,
  });
  const waysIn = async () => ({
    password: (await passwords.byEmail(email))?.hash ?? null,
    session: await recognise.bySession(cookie),
    token: await recognise.byToken(token),
  });
  return { id, passwordHash, waysIn };
}

const admit = (subject: string, email: string, mayLink = true): Promise<SignInAdmission> =>
  identities.admit({ issuer: ISSUER, subject }, { newId: createId(now++), email, name: email, mayLink, atMs: now });

test("the first sign-in of somebody who was added here ends every way in that somebody else may know", async () => {
  const { id, waysIn } = await added("ada@acme.example");

  expect(await admit("ada", "ada@acme.example")).toEqual({ kind: "linked", personId: id });
  expect(await waysIn()).toEqual({ password: null, session: null, token: null });
  expect(await people.byId(id)).toMatchObject({ state: "active", grants: [{ role: "viewer" }] });
});

test("whoever begins sign-ins without end keeps nobody else from theirs", async () => {
  const begun = (no: number) => ({
    stateDigest: Buffer.alloc(32, no),
    nonce: "a nonce",
    verifier: "a verifier",
    returnTo: "/docs",
  });
  await database.query(
    `insert into oidc_attempt select sha256(n::text::bytea), 'x', 'x', '/', $1::timestamptz - n * interval '1 ms' from generate_series(1, 200050) n`,
    [new Date(now + 600_000)],
  );
  for (const no of [1, 2]) await identities.begin(begun(no), { atMs: now + no, expiresAtMs: now + no + 600_000 });

  expect(await database.query("select count(*)::int as kept from oidc_attempt")).toEqual([{ kept: 200_000 }]);
  for (const no of [1, 2])
    expect(await identities.take(begun(no).stateDigest, now + 3)).toMatchObject({ nonce: "a nonce" });
});

test("later sign-ins end nothing", async () => {
  const { id } = await added("ben@acme.example");
  expect((await people.byId(id))?.hasSso).toBe(false);
  await admit("ben", "ben@acme.example");
  const { secret } = await recognise.openSession(id, { ...FROM, via: "sso", passwordHash: null });
  await passwords.set(id, await hashPassword("a phrase of his own"), null);

  expect(await admit("ben", "ben@acme.example")).toEqual({ kind: "admitted", personId: id });
  expect(await recognise.bySession(secret)).not.toBeNull();
  expect(await people.byId(id)).toMatchObject({ hasPassword: true, hasSso: true });
});

test("a person has one identity of a provider: who gets the address of another is not the other", async () => {
  const first = await admit("cleo", "cleo@acme.example");
  invariantAdmitted(first);
  // A lead gave a member of theirs the address of somebody who has yet to come.
  await people.update(first.personId, { email: "chief@acme.example" });

  expect(await admit("chief", "chief@acme.example")).toEqual({ kind: "taken" });
  expect(await identities.find({ issuer: ISSUER, subject: "chief" })).toBeNull();
});

test("who was removed and added again comes back as whom they were added, without what was known of it", async () => {
  const before = await admit("dan", "dan@acme.example");
  invariantAdmitted(before);
  await people.remove(before.personId, now);
  expect(await admit("dan", "dan@acme.example")).toEqual({ kind: "removed" });
  const { id, waysIn } = await added("dan@acme.example");

  expect(await admit("dan", "dan@acme.example")).toEqual({ kind: "linked", personId: id });
  expect(await waysIn()).toEqual({ password: null, session: null, token: null });
});

test("an address that the provider does not vouch for links nobody and ends nothing", async () => {
  const { waysIn } = await added("eve@acme.example");

  expect(await admit("eve", "eve@acme.example", false)).toEqual({ kind: "unverified" });
  expect(await waysIn()).not.toMatchObject({ password: null });
  expect((await waysIn()).session).not.toBeNull();
  expect((await waysIn()).token).not.toBeNull();
});

test("somebody who is known keeps their address until the provider vouches for another", async () => {
  const first = await admit("kim", "kim@acme.example");
  invariantAdmitted(first);
  const email = async () => (await people.byId(first.personId))?.email;

  expect(await admit("kim", "ceo@acme.example", false)).toEqual(first);
  expect(await email()).toBe("kim@acme.example");
  expect(await admit("kim", "kimberly@acme.example")).toEqual(first);
  expect(await email()).toBe("kimberly@acme.example");
});

test("somebody who left comes back with the address they had, unless another person has it now", async () => {
  const first = await admit("lou", "lou@acme.example");
  invariantAdmitted(first);
  const leave = () => identities.leave({ issuer: ISSUER, subject: "lou" }, { atMs: now, was: null });

  await leave();
  expect(await admit("lou", "ceo@acme.example", false)).toEqual(first);
  expect((await people.byId(first.personId))?.email).toBe("lou@acme.example");
  await leave();
  await added("lou@acme.example");
  expect(await admit("lou", "ceo@acme.example", false)).toEqual({ kind: "unverified" });
});

test("sign-ins of the same person at once make one person, whatever address they name", async () => {
  const admitted = await Promise.all(
    Array.from({ length: 6 }, (_, index) => admit("ida", `ida-${index % 3}@acme.example`)),
  );

  expect(new Set(admitted.map((one) => "personId" in one && one.personId)).size).toBe(1);
  const rows = await database.query("select from person where email like 'ida-%'");
  expect(rows).toHaveLength(1);
});

test("of several who claim the address of a person who was added here at once, one is that person", async () => {
  await added("jo@acme.example");

  const admitted = await Promise.all(["jo-1", "jo-2", "jo-3"].map((subject) => admit(subject, "jo@acme.example")));
  expect(admitted.map(({ kind }) => kind).toSorted()).toEqual(["linked", "taken", "taken"]);
});

test("a password that was right a moment ago opens no session once the person is linked", async () => {
  const { id, passwordHash } = await added("fay@acme.example");
  await admit("fay", "fay@acme.example");

  await expect(recognise.openSession(id, { ...FROM, via: "password", passwordHash })).rejects.toMatchObject({
    code: "invalid_credentials",
  });
});

test("a session that has just ended makes no token and sets no password", async () => {
  const { id, passwordHash } = await added("gus@acme.example");
  const { session } = await recognise.openSession(id, { ...FROM, via: "password", passwordHash });
  await admit("gus", "gus@acme.example");
  const { digest, prefix } = createTokenSecret();
  const token = { id: createId(now++), digest, prefix, personId: id, name: "late", role: null, accountId: null };

  const order = { ...token, createdAtMs: now, expiresAtMs: now + 1_000, sessionId: session.id };
  expect(await createTokenStore(database).insert(order)).toBe(false);
  expect(await passwords.set(id, await hashPassword("a late phrase"), session.id)).toBe(false);
  expect((await people.byId(id))?.hasPassword).toBe(false);
});

const alone = whyUnavailable("15");
test.skipIf(alone)(
  `whoever signs in while their ways in end gets no session${alone === null ? "" : `: skipped, ${alone}`}`,
  async () => {
    const { id, passwordHash } = await added("hal@acme.example");
    const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    const late = await database.transaction(async (tx) => {
      await endWaysIn(tx, id, now);
      const opening = recognise
        .openSession(id, { ...FROM, via: "password", passwordHash })
        .catch((error: unknown) => error);
      await until(async () => (await database.query(waiting)).length > 0, "it waits for the row of the person");
      return { opening };
    });

    expect(await late.opening).toMatchObject({ code: "invalid_credentials" });
  },
);

function invariantAdmitted(admission: SignInAdmission): asserts admission is { kind: "admitted"; personId: string } {
  expect(admission.kind).toBe("admitted");
}

test.skipIf(alone !== null).each([true, false])(
  "whoever signs in while their first sign-in ends elsewhere is the same person, and ends nothing of theirs; verified: %s",
  async (mayLink) => {
    const key = { issuer: ISSUER, subject: `kim-${mayLink}` };
    const who = () => ({
      email: `kim-${mayLink}@acme.example`,
      name: "Kim",
      newId: createId(now++),
      mayLink,
      atMs: now,
    });
    let first: SignInAdmission | null = null;
    // Between the look for them and the look for their address, the other browser is let in.
    const meeting: Database = {
      ...database,
      transaction: (work) =>
        database.transaction((tx) =>
          work({
            ...tx,
            query: async (sql, values, how) => {
              if (first === null && sql.startsWith("select id from person where email"))
                first = await identities.admit(key, who());
              return tx.query(sql, values, how);
            },
          }),
        ),
    };
    const second = await createIdentityStore(meeting).admit(key, who());

    expect(first).toMatchObject({ kind: "admitted" });
    expect(second).toEqual(first);
  },
);
