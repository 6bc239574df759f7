import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { emptyDatabase } from "../../tests/support/admin-app.ts";
import { freshDatabase, type FreshDatabase, whyUnavailable } from "../../tests/support/postgres.ts";
import { createId } from "../core/ids.ts";
import type { Role } from "../core/people/role.ts";
import type { Database } from "../db/database.ts";
import { createPostgres } from "../db/postgres/postgres.ts";
import { createPeopleStore } from "./people-store.ts";
import type { Grant, PeopleStore } from "./person.ts";
import { createTokenSecret, isTokenSecret } from "../entrance/person-secret.ts";
import { createRecognise, type Recognise, SESSION_IDLE_MS, SESSION_MS } from "../entrance/recognise.ts";
import { createSessionStore } from "../entrance/session/session-store.ts";
import { createSignInThrottle, MOST_FAILURES } from "../entrance/sign-in-throttle.ts";
import { createFailureStore } from "../entrance/failure-store.ts";
import { createSetupStore } from "../entrance/password/setup-store.ts";
import { createTokenStore } from "../entrance/token/token-store.ts";

const limits = { poolSize: 4, connectTimeoutMs: 5_000, statementTimeoutMs: 5_000, onError: () => undefined };
const BEGIN = Date.UTC(2026, 0, 5);
const DAY_MS = 86_400_000;
const FROM = { via: "password", address: "192.0.2.1", agent: "a browser", passwordHash: null } as const;

const reason = whyUnavailable("15");
let fresh: FreshDatabase | null = null;

const [where, open] =
  reason === null
    ? (["PostgreSQL 15", onPostgres] as const)
    : ([`PGlite, since there is no PostgreSQL 15: ${reason}`, emptyDatabase] as const);

async function onPostgres(): Promise<Database> {
  fresh = await freshDatabase({ version: "15" });
  return createPostgres({ url: fresh.url, ...limits });
}

describe(`people on ${where}`, () => {
  let database: Database;
  let people: PeopleStore;
  let recognise: Recognise;
  let now = BEGIN;
  const nowMs = () => now;
  const accounts: Record<string, string> = {};

  beforeAll(async () => {
    database = await open();
    people = createPeopleStore(database);
    recognise = createRecognise({
      sessions: createSessionStore(database),
      tokens: createTokenStore(database),
      nowMs,
    });
    const account = async (name: string, parent: string | null) => {
      accounts[name] = createId(now++);
      await database.query("select account_open_v1($1, $2, $3, 'team', 7)", [accounts[name], parent, name]);
      return accounts[name];
    };
    const acme = await account("Acme", null);
    const search = await account("Search", acme);
    await account("Ann", search);
    await account("Ads", acme);
  }, 150_000);
  afterAll(async () => {
    await database.close();
    if (fresh) await fresh.close();
  });

  const add = async (email: string, grants: readonly Grant[] = [], accountId: string | null = null) => {
    const id = createId(now++);
    const order = {
      id,
      email,
      name: email,
      accountId,
      passwordHash: null,
      grants,
      source: "given",
      atMs: now,
    } as const;
    expect(await people.insert(order)).toBe("done");
    return id;
  };
  const everywhere = (role: Role): Grant => ({ role, accountId: null });

  test("an email belongs to one person at a time, and is free again once they are removed", async () => {
    const first = await add("bea@acme.example");
    const again = { id: createId(now++), email: "bea@acme.example", name: "x", accountId: null, passwordHash: null };

    expect(await people.insert({ ...again, grants: [], source: "given", atMs: now })).toBe("email_taken");
    await people.remove(first, now);
    expect(await people.insert({ ...again, grants: [], source: "given", atMs: now })).toBe("done");
    expect(await people.byEmail("bea@acme.example")).toMatchObject({ id: again.id, hasPassword: false });
    expect(await people.byId(first)).toMatchObject({ state: "removed", removedAtMs: now });
  });

  test("the last owner can neither be removed nor lose the role, whichever way two try at once", async () => {
    const [one, two] = [
      await add("one@x.example", [everywhere("owner")]),
      await add("two@x.example", [everywhere("owner")]),
    ];

    const results = await Promise.all([
      people.remove(one, now),
      people.setGrants(two, [everywhere("viewer")], "given"),
    ]);

    expect(results.toSorted()).toEqual(["done", "last_owner"]);
  });

  test("a lead's list has those alone whose account and grants all lie below the lead's accounts", async () => {
    const { Search = "", Ann = "", Ads = "", Acme = "" } = accounts;
    await add("inside@x.example", [{ role: "viewer", accountId: Ann }], Ann);
    await add("account-only@x.example", [], Search);
    await add("both@x.example", [
      { role: "viewer", accountId: Ann },
      { role: "viewer", accountId: Ads },
    ]);
    await add("above@x.example", [{ role: "viewer", accountId: Acme }], Ann);
    await add("global@x.example", [everywhere("viewer")], Ann);

    const listed = await people.list({ limit: 100, after: null, within: [Search] });

    expect(listed.map(({ email }) => email)).toEqual(["account-only@x.example", "inside@x.example"]);
    expect(listed[1]?.grants).toMatchObject([
      { role: "viewer", account: "Acme/Search/Ann", path: [Acme, Search, Ann] },
    ]);
  });

  test("a session ends after half a day without use, after a week in use, and with its person", async () => {
    const id = await add("cy@x.example", [everywhere("viewer")]);
    const { secret } = await recognise.openSession(id, FROM);
    expect(await recognise.bySession(secret)).toMatchObject({
      person: { id },
      session: { via: "password" },
      token: null,
    });

    const began = now;
    while (now + SESSION_IDLE_MS < began + SESSION_MS) {
      now += SESSION_IDLE_MS - 1;
      expect(await recognise.bySession(secret)).not.toBeNull();
    }
    now = began + SESSION_MS;
    expect(await recognise.bySession(secret)).toBeNull();

    const { secret: idle } = await recognise.openSession(id, FROM);
    now += SESSION_IDLE_MS;
    expect(await recognise.bySession(idle)).toBeNull();
    const { secret: removed } = await recognise.openSession(id, FROM);
    await people.remove(id, now);
    expect(await recognise.bySession(removed)).toBeNull();
  });

  test("a token ends when it expires, is revoked, or its person is removed; a mistyped one needs no query", async () => {
    const id = await add("di@x.example", [everywhere("viewer")]);
    const tokens = createTokenStore(database);
    const make = async () => {
      const { secret, digest, prefix } = createTokenSecret();
      const token = { id: createId(now++), personId: id, name: "ci", role: null, accountId: null, sessionId: null };
      await tokens.insert({ ...token, digest, prefix, createdAtMs: now, expiresAtMs: now + DAY_MS });
      return { secret, id: token.id };
    };
    const [expiring, revoked] = [await make(), await make()];
    expect(await recognise.byToken(expiring.secret)).toMatchObject({ person: { id }, token: { id: expiring.id } });
    expect(isTokenSecret(`${expiring.secret.slice(0, -1)}!`)).toBe(false);
    const wrong = expiring.secret.at(10) === "a" ? "b" : "a";
    expect(isTokenSecret(expiring.secret.slice(0, 10) + wrong + expiring.secret.slice(11))).toBe(false);

    await tokens.revoke(revoked.id, now);
    now += DAY_MS + 1;
    const orphan = await make();
    await people.remove(id, now);

    for (const { secret } of [expiring, revoked, orphan]) expect(await recognise.byToken(secret)).toBeNull();
  });

  test("ten wrong passwords stop an email at an address for a quarter of an hour, and nobody elsewhere", async () => {
    const throttle = createSignInThrottle({ store: createFailureStore(database), nowMs });
    const waits = await Promise.all(
      Array.from({ length: MOST_FAILURES + 1 }, () => throttle.attempt("eve@x.example", "198.51.100.7")),
    );
    expect(waits.toSorted((a, b) => a - b)).toEqual([...Array.from({ length: 10 }, () => 0), 900_000]);

    expect(await throttle.attempt("eve@x.example", "198.51.100.8")).toBe(0);
    expect(await throttle.attempt("fay@x.example", "198.51.100.7")).toBe(0);
    now += 900_000;
    expect(await throttle.attempt("eve@x.example", "198.51.100.7")).toBe(0);
  });

  test("thirty failures from many addresses stop an email where its person has no session, and not where they have", async () => {
    const id = await add("gus@x.example");
    await recognise.openSession(id, FROM);
    const throttle = createSignInThrottle({ store: createFailureStore(database), nowMs });
    for (let at = 0; at < 30; at++) await throttle.attempt("gus@x.example", `203.0.113.${at}`);

    expect(await throttle.attempt("gus@x.example", "203.0.113.99")).toBeGreaterThan(0);
    expect(await throttle.attempt("gus@x.example", FROM.address)).toBe(0);
  });

  test("the token of the first start works once, and the next one replaces it", async () => {
    const setup = createSetupStore(database);
    const [first, second] = [createTokenSecret().digest, createTokenSecret().digest];
    const offer = (digest: Buffer, afterMs: number) =>
      setup.offer(digest, { expiresAtMs: now + DAY_MS + afterMs, leastAgeMs: 60_000 });
    expect(await offer(first, -60_000)).toBe(true);
    expect(await offer(second, -1)).toBe(false);
    expect(await offer(second, 0)).toBe(true);

    expect(await setup.take(first, now)).toBe(false);
    expect(await setup.take(second, now + DAY_MS)).toBe(false);
    expect(await setup.take(second, now)).toBe(true);
    expect(await setup.take(second, now)).toBe(false);
  });
});
