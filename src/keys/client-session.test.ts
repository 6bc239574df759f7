import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { emptyDatabase } from "../../tests/support/admin-app.ts";
import { freshDatabase, type FreshDatabase, whyUnavailable } from "../../tests/support/postgres.ts";
import { createId } from "../core/ids.ts";
import type { Database } from "../db/database.ts";
import { createPostgres } from "../db/postgres/postgres.ts";
import {
  type ClientSessions,
  createClientSessions,
  type RefreshedSession,
  type SessionTokens,
} from "./client-session.ts";
import { createClientSessionStore } from "./client-session-store.ts";
import type { Key } from "./key.ts";
import { createKeyStore } from "./key-store.ts";
import { bucketOf, digestOf } from "./secret.ts";
import { sealingSecret } from "./session-secret.ts";
import { stateOf } from "./usable.ts";

const limits = { poolSize: 8, connectTimeoutMs: 5_000, statementTimeoutMs: 5_000, onError: () => undefined };
const FROM = { client: "Claude Code", agent: "claude-cli/2.1.325 (external, cli)", address: "192.0.2.7" };
const BUCKET = 0xabc;

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

describe(`client sessions on ${where}`, () => {
  let database: Database;
  let sessions: ClientSessions;
  let team = "";
  let made = 0;

  beforeAll(async () => {
    database = await open();
    sessions = createClientSessions({ store: createClientSessionStore(database), clock: { nowMs: Date.now } });
    const root = createId(Date.now());
    team = createId(Date.now());
    await database.query("select account_open_v1($1, null, 'Acme', 'organisation', $2)", [root, BUCKET]);
    await database.query("select account_open_v1($1, $2, 'Search', 'team', $3)", [team, root, BUCKET]);
  }, 150_000);
  afterAll(async () => {
    await database?.close();
    await fresh?.close();
  });

  async function somebody(account: "theirs" | "none" = "theirs") {
    const [id, accountId] = [createId(Date.now()), account === "none" ? null : createId(Date.now())];
    const email = `person${++made}@acme.example`;
    if (accountId !== null)
      await database.query("select account_open_v1($1, $2, $3, 'person', $4)", [accountId, team, email, BUCKET]);
    await database.query(
      "insert into person (id, email, name, account_id, created_at) values ($1, $2, $3, $4, now())",
      [id, email, `Person ${made}`, accountId],
    );
    return { id, email, accountId };
  }

  async function signedIn(): Promise<{ personId: string; accountId: string; tokens: SessionTokens }> {
    const { id, accountId } = await somebody();
    return { personId: id, accountId: accountId ?? "", tokens: begun(await sessions.begin(id, FROM)) };
  }

  const begun = (answer: Awaited<ReturnType<ClientSessions["begin"]>>): SessionTokens => {
    if (answer.kind !== "begun") throw new Error(`refused: ${answer.reason}`);
    return answer.tokens;
  };
  const refreshed = (answer: RefreshedSession): SessionTokens => {
    if (answer.kind !== "refreshed") throw new Error(`refused: ${answer.reason}`);
    return answer.tokens;
  };
  const keyOf = async (secret: string): Promise<Key | null> =>
    (await createKeyStore(database).findByDigests([Buffer.from(digestOf(secret), "base64url")]))[0] ?? null;
  const statusOf = async (secret: string): Promise<string> => {
    const key = await keyOf(secret);
    return key === null ? "unknown" : stateOf(key, Date.now());
  };
  const longAgo = (id: string, ms: number) =>
    database.query(
      "update client_session set refreshed_at = refreshed_at - $2::bigint * interval '1 millisecond' where id = $1",
      [id, ms],
    );

  test("an access token is found as a credit key of the person's account, with the bucket of its tree", async () => {
    const { personId, accountId, tokens } = await signedIn();

    const key = await keyOf(tokens.accessToken);

    expect(key).toMatchObject({
      id: tokens.sessionId,
      mode: "credit",
      personId,
      accountId,
      bucket: BUCKET,
      status: "active",
    });
    expect(key?.accounts).toHaveLength(3);
    expect(key?.prefix).toBe(tokens.accessToken.slice(0, 12));
    expect([tokens.accessToken, tokens.refreshToken].map((token) => token.slice(0, 7))).toEqual(["tga_abc", "tgr_abc"]);
    expect(bucketOf(tokens.accessToken)).toBe(BUCKET);
    expect(tokens.expiresInSeconds).toBe(3_600);
    expect((key?.secretExpiresAtMs ?? 0) - Date.now()).toBeGreaterThan(3_590_000);
  });

  test("a refresh token is no credential", async () => {
    const { tokens } = await signedIn();

    expect(await keyOf(tokens.refreshToken)).toBeNull();
  });

  test("the database has digests of tokens alone", async () => {
    const { tokens } = await signedIn();
    const next = refreshed(await sessions.refresh(tokens.refreshToken));
    const secrets = [tokens, next].flatMap(({ accessToken, refreshToken }) => [accessToken, refreshToken]);

    const rows = await database.query<{ row: string }>(
      `select to_jsonb(c)::text as row from client_session c union all select to_jsonb(s)::text from key_secret s
       union all select to_jsonb(k)::text from key k`,
    );

    const written = rows.map(({ row }) => row).join("\n");
    expect(written).toContain(tokens.sessionId);
    // Not even the part that they have in common, beyond what a prefix shows.
    for (const secret of secrets)
      for (const at of [7, 20, 40]) expect(written).not.toContain(secret.slice(at, at + 12));
  });

  test("nobody signs in without an account, or into one that is suspended", async () => {
    const none = await somebody("none");
    const { id, accountId } = await somebody();
    await database.query("update account set status = 'suspended' where id = $1", [accountId]);

    expect(await sessions.begin(none.id, FROM)).toEqual({ kind: "refused", reason: "no_account" });
    expect(await sessions.begin(id, FROM)).toEqual({ kind: "refused", reason: "suspended" });
    expect(await sessions.begin(createId(Date.now()), FROM)).toEqual({ kind: "refused", reason: "unknown_person" });
  });

  test("a refresh gives other tokens of the same session; the access token before is good for its hour", async () => {
    const { tokens } = await signedIn();

    const next = refreshed(await sessions.refresh(tokens.refreshToken));

    expect(next.sessionId).toBe(tokens.sessionId);
    expect(next.accessToken).not.toBe(tokens.accessToken);
    expect(next.refreshToken).not.toBe(tokens.refreshToken);
    expect(next.expiresInSeconds).toBeGreaterThan(3_590);
    const keys = await Promise.all([tokens, next].map(({ accessToken }) => keyOf(accessToken)));
    // No copy of the key has become wrong, so that nothing that runs is read again.
    const same = { id: tokens.sessionId, version: keys[0]?.version, prefix: tokens.accessToken.slice(0, 12) };
    expect(keys).toMatchObject([same, same]);
    expect(sealingSecret(next.accessToken)).toBe(sealingSecret(tokens.accessToken));
    expect(tokens.accessToken).toContain(sealingSecret(tokens.accessToken).slice(4));
  });

  test("a client whose answer was lost gets the same tokens again", async () => {
    const { tokens } = await signedIn();

    const first = refreshed(await sessions.refresh(tokens.refreshToken));
    const again = refreshed(await sessions.refresh(tokens.refreshToken));

    expect(again).toMatchObject({ accessToken: first.accessToken, refreshToken: first.refreshToken });
    expect(again.expiresInSeconds).toBeGreaterThan(3_590);
    expect(await statusOf(again.accessToken)).toBe("active");
  });

  test("of twenty refreshes with the same token at once, all get the same tokens", async () => {
    const { tokens } = await signedIn();

    const answers = await Promise.all(Array.from({ length: 20 }, () => sessions.refresh(tokens.refreshToken)));

    const pairs = new Set(
      answers.map(refreshed).map(({ accessToken, refreshToken }) => `${accessToken} ${refreshToken}`),
    );
    expect(pairs.size).toBe(1);
    const [row] = await database.query<{ secrets: bigint }>(
      "select count(*) as secrets from key_secret where key_id = $1",
      [tokens.sessionId],
    );
    expect(row?.secrets).toBe(2n);
    expect(refreshed(await sessions.refresh(refreshed(answers[0] as RefreshedSession).refreshToken)).sessionId).toBe(
      tokens.sessionId,
    );
  });

  test("a refresh token that is shown again after a minute ends the session for everybody who has a token of it", async () => {
    const { personId, tokens } = await signedIn();
    const next = refreshed(await sessions.refresh(tokens.refreshToken));
    await longAgo(tokens.sessionId, 61_000);

    expect(await sessions.refresh(tokens.refreshToken)).toMatchObject({ kind: "refused", reason: "reused" });

    expect(await statusOf(tokens.accessToken)).toBe("revoked");
    expect(await statusOf(next.accessToken)).toBe("revoked");
    expect(await sessions.refresh(next.refreshToken)).toMatchObject({ kind: "refused", reason: "ended" });
    expect(await sessions.list(personId)).toEqual([]);
  });

  test("a thief who refreshes first is found out when the client does", async () => {
    const { tokens } = await signedIn();
    const stolen = refreshed(await sessions.refresh(tokens.refreshToken));
    const spread = refreshed(await sessions.refresh(stolen.refreshToken));

    // The client still has the first one; nobody waits for the minute, since another came after it.
    expect(await sessions.refresh(tokens.refreshToken)).toMatchObject({ kind: "refused", reason: "reused" });

    expect(await statusOf(spread.accessToken)).toBe("revoked");
    expect(await sessions.refresh(spread.refreshToken)).toMatchObject({ kind: "refused", reason: "ended" });
  });

  test("a thief within the minute gets no session of their own", async () => {
    const { tokens } = await signedIn();
    const client = refreshed(await sessions.refresh(tokens.refreshToken));
    const thief = refreshed(await sessions.refresh(tokens.refreshToken));
    expect(thief.refreshToken).toBe(client.refreshToken);

    refreshed(await sessions.refresh(thief.refreshToken));
    await longAgo(tokens.sessionId, 61_000);

    expect(await sessions.refresh(client.refreshToken)).toMatchObject({ kind: "refused", reason: "reused" });
  });

  test("texts that no session has change nothing", async () => {
    const { tokens } = await signedIn();
    const other = await signedIn();
    const spoilt = `${tokens.refreshToken.slice(0, -1)}${tokens.refreshToken.endsWith("0") ? "1" : "0"}`;

    for (const text of ["", "tgr_", spoilt, tokens.accessToken, "x".repeat(10_000)])
      expect(await sessions.refresh(text)).toMatchObject({ kind: "refused", reason: "unknown" });

    expect(await statusOf(tokens.accessToken)).toBe("active");
    expect(await statusOf(other.tokens.accessToken)).toBe("active");
  });

  test("a session that was not refreshed for 30 days is over, and none is longer than 90 days", async () => {
    const { personId, tokens } = await signedIn();
    const [session] = await sessions.list(personId);
    expect((session?.expiresAtMs ?? 0) - (session?.createdAtMs ?? 0)).toBe(30 * 86_400_000);

    await database.query(
      "update client_session set created_at = now() - interval '89 days 23 hours 50 minutes' where id = $1",
      [tokens.sessionId],
    );
    const last = refreshed(await sessions.refresh(tokens.refreshToken));
    // No token outlives its session.
    expect(last.expiresInSeconds).toBeGreaterThan(590);
    expect(last.expiresInSeconds).toBeLessThanOrEqual(600);

    await database.query("update client_session set expires_at = now() where id = $1", [tokens.sessionId]);
    expect(await sessions.refresh(last.refreshToken)).toMatchObject({ kind: "refused", reason: "over" });
    expect(await sessions.list(personId)).toEqual([]);
  });

  test("access tokens whose time is over are cleared away, and no copy of the key becomes wrong by it", async () => {
    const { tokens } = await signedIn();
    const before = await keyOf(tokens.accessToken);
    await database.query("update key_secret set expires_at = now() - interval '1 second' where key_id = $1", [
      tokens.sessionId,
    ]);
    const version = (await keyOf(tokens.accessToken))?.version ?? 0;
    expect(version).toBeGreaterThan(before?.version ?? 0);

    const next = refreshed(await sessions.refresh(tokens.refreshToken));

    expect(await keyOf(tokens.accessToken)).toBeNull();
    expect((await keyOf(next.accessToken))?.version).toBe(version);
  });

  test("either token ends its session, and ending it again does nothing", async () => {
    for (const which of ["accessToken", "refreshToken"] as const) {
      const { tokens } = await signedIn();

      expect(await sessions.revoke(tokens[which])).toMatchObject({ id: tokens.sessionId });

      expect(await statusOf(tokens.accessToken)).toBe("revoked");
      expect(await sessions.refresh(tokens.refreshToken)).toMatchObject({ kind: "refused", reason: "ended" });
      expect(await sessions.revoke(tokens[which])).toBeNull();
    }
    expect(await sessions.revoke("tga_nothing")).toBeNull();
  });

  test("somebody ends one session of theirs, or all but one, and never anybody else's", async () => {
    const { personId, tokens } = await signedIn();
    const others = [begun(await sessions.begin(personId, FROM)), begun(await sessions.begin(personId, FROM))];
    const stranger = await signedIn();

    expect(await sessions.end(personId, { id: stranger.tokens.sessionId })).toBe(0);
    expect(await sessions.end(personId, { id: "nonsense" })).toBe(0);
    expect(await sessions.end(personId, { id: others[0]?.sessionId ?? "" })).toBe(1);
    expect(new Set((await sessions.list(personId)).map(({ id }) => id))).toEqual(
      new Set([tokens.sessionId, others[1]?.sessionId]),
    );
    expect(await sessions.end(personId, { except: tokens.sessionId })).toBe(1);
    expect(await sessions.list(personId)).toMatchObject([
      { id: tokens.sessionId, client: "Claude Code", agent: FROM.agent, address: FROM.address },
    ]);
    expect(await statusOf(stranger.tokens.accessToken)).toBe("active");
  });

  test("somebody who is removed, or gets another account, is signed out with the same transaction", async () => {
    const removed = await signedIn();
    const moved = await signedIn();
    const stays = await signedIn();

    await database.query("update person set state = 'removed', removed_at = now() where id = $1", [removed.personId]);
    await database.query("update person set account_id = $2 where id = $1", [moved.personId, team]);
    await database.query("update person set account_id = account_id, last_seen_at = now() where id = $1", [
      stays.personId,
    ]);

    expect(await statusOf(removed.tokens.accessToken)).toBe("revoked");
    expect(await sessions.refresh(removed.tokens.refreshToken)).toMatchObject({ reason: "ended" });
    expect(await statusOf(moved.tokens.accessToken)).toBe("revoked");
    expect(await statusOf(stays.tokens.accessToken)).toBe("active");
  });

  test("while an account above is suspended a session is of no use; it goes on when the account is resumed", async () => {
    const { accountId, tokens } = await signedIn();
    await database.query("update account set status = 'suspended' where id = $1", [accountId]);

    expect(await statusOf(tokens.accessToken)).toBe("suspended");
    expect(await sessions.refresh(tokens.refreshToken)).toMatchObject({ kind: "refused", reason: "suspended" });

    await database.query("update account set status = 'active' where id = $1", [accountId]);
    expect(refreshed(await sessions.refresh(tokens.refreshToken)).sessionId).toBe(tokens.sessionId);
  });

  test("with the fifty-first session of a person, the one refreshed longest ago ends", async () => {
    const { personId, tokens } = await signedIn();
    const all = [tokens];
    while (all.length < 50) all.push(begun(await sessions.begin(personId, FROM)));
    await longAgo(all[7]?.sessionId ?? "", 60_000);
    expect(await sessions.list(personId)).toHaveLength(50);

    all.push(begun(await sessions.begin(personId, FROM)));

    expect(await sessions.list(personId)).toHaveLength(50);
    expect(await statusOf(all[7]?.accessToken ?? "")).toBe("revoked");
  });

  test("a browser is signed in for 12 hours under a token that nobody has, and leaves alone", async () => {
    const { personId, accountId, tokens } = await signedIn();

    const begun = await sessions.beginInBrowser(personId, { ...FROM, client: "Firefox on Linux" });
    if (begun.kind !== "begun") throw new Error(begun.reason);

    const { session } = begun;
    expect(begun).toMatchObject({ bucket: BUCKET, session: { client: "Firefox on Linux", accountId } });
    expect(session.expiresAtMs - session.createdAtMs).toBe(12 * 3_600_000);
    expect(await sessions.everOf(personId)).toEqual([tokens.sessionId, session.id]);
    await sessions.leaveBrowser(tokens.sessionId);
    await sessions.leaveBrowser(session.id);
    expect((await sessions.list(personId)).map(({ id }) => id)).toEqual([tokens.sessionId]);
    expect(await sessions.everOf(personId)).toEqual([tokens.sessionId, session.id]);
  });

  test("with the twenty-first browser of a person, the oldest ends and no client does", async () => {
    const { personId, tokens } = await signedIn();
    const browsers: string[] = [];
    for (let nth = 0; nth < 21; nth++) {
      const begun = await sessions.beginInBrowser(personId, FROM);
      if (begun.kind === "begun") browsers.push(begun.session.id);
    }

    const left = (await sessions.list(personId)).map(({ id }) => id);

    expect(new Set(left)).toEqual(new Set([tokens.sessionId, ...browsers.slice(1)]));
  });

  test("a session is no key of the list, and gets no secret", async () => {
    const { tokens } = await signedIn();
    const store = createKeyStore(database);

    expect((await store.list({ limit: 1_000 })).map(({ id }) => id)).not.toContain(tokens.sessionId);
    expect(
      await store.addSecret(tokens.sessionId, { digest: Buffer.alloc(32, 1), prefix: "tgc_abc00000", overlapMs: 0 }),
    ).toBe(false);
    expect(await statusOf(tokens.accessToken)).toBe("active");
  });

  test("what a client calls itself is cut and has no control characters", async () => {
    const { id } = await somebody();
    begun(await sessions.begin(id, { client: `\u001b[31m${"x".repeat(99)}`, agent: "a\nb", address: null }));

    expect(await sessions.list(id)).toMatchObject([{ client: `[31m${"x".repeat(56)}`, agent: "ab", address: "" }]);
  });
});
