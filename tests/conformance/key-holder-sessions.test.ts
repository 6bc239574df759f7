import { crc32 } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bearer, expectRefusal, type Reply } from "../contract/knock.ts";
import { type IssuedKey, operate } from "../contract/operator.ts";
import { type ChainedGateway, CREDIT, startChainedGateway } from "../support/chained-gateway.ts";
import { cookieOf, holderClient, JSON_TYPE } from "../support/holder-client.ts";
import { whyUnavailable } from "../support/postgres.ts";

const UNAUTHORISED = { status: 401, code: "invalid_credentials", type: "authentication_error" };
const INVALID = { status: 400, code: "invalid_request", type: "invalid_request_error" };

let stage: ChainedGateway;
const { ask, signIn, sessionOf, read, newKey } = holderClient(() => stage);

type Me = { object: string; key: { prefix: string; mode: string; id: string }; session: { expires_at: string } | null };

describe.skipIf(whyUnavailable("15"))("sessions of key holders", () => {
  beforeAll(async () => {
    stage = await startChainedGateway({
      TOLLGATE_LISTEN_TRUSTED_PROXIES: "127.0.0.1",
      TOLLGATE_KEYS_UNKNOWN_PER_MINUTE: "4",
    });
  });
  afterAll(() => stage.stop());

  test("a key that is posted once becomes a session that no script can read and no other site can have sent", async () => {
    const { secret } = await newKey({ label: "Ann's laptop" });

    const reply = await signIn(secret);

    expect(reply.status).toBe(201);
    expect(reply.headers["cache-control"]).toBe("no-store");
    expect(reply.headers["set-cookie"]).toEqual([
      expect.stringMatching(/^tollgate_key=tgs_[0-9a-f]{67}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/),
    ]);
    expect(JSON.parse(reply.text)).toEqual({
      object: "key_session",
      key: { prefix: secret.slice(0, 12), label: "Ann's laptop", mode: "credit" },
      expires_at: expect.stringMatching(/^20\d\d-/) as string,
    });
    const me = await read<Me>("/me", cookieOf(reply));
    expect(me).toMatchObject({ object: "key_holder", key: { prefix: secret.slice(0, 12), mode: "credit" } });
    expect(me.session).toEqual({ expires_at: (JSON.parse(reply.text) as { expires_at: string }).expires_at });
  });

  test("the session is no credential for generations", async () => {
    const cookie = await sessionOf((await newKey()).secret);

    const reply = await ask("/v1/usage", { headers: cookie });

    expectRefusal(reply, UNAUTHORISED);
  });

  const endings: [string, (key: IssuedKey) => Promise<unknown>][] = [
    ["is revoked", ({ id }) => operate(stage.gateway, `POST /keys/${id}/revoke`)],
    ["is suspended", ({ id }) => operate(stage.gateway, `POST /keys/${id}/suspend`)],
    ["is disabled", ({ id }) => operate(stage.gateway, `POST /keys/${id}/disable`)],
    [
      "expires",
      ({ id }) => operate(stage.gateway, `PATCH /keys/${id}`, { expires_at: new Date(Date.now() - 1).toISOString() }),
    ],
    ["is rotated away", ({ id }) => operate(stage.gateway, `POST /keys/${id}/rotate`, { overlap_ms: 0 })],
  ];

  test.each(endings)("a session ends at once when its key %s", async (_, end) => {
    const key = await newKey();
    const cookie = await sessionOf(key.secret);
    expect((await ask("/me", { headers: cookie })).status).toBe(200);

    await end(key);

    expectRefusal(await ask("/me", { headers: cookie }), UNAUTHORISED);
    expect([401, 403]).toContain((await ask("/me", { headers: bearer(key.secret) })).status);
    expect([401, 403]).toContain((await signIn(key.secret)).status);
  });

  test("a session ends at once when an account above its key is suspended", async () => {
    const account = await stage.account("Ended");
    await stage.purse(account, CREDIT);
    const cookie = await sessionOf(await stage.key(account));
    expect((await ask("/me", { headers: cookie })).status).toBe(200);

    await stage.setStatus(account, "suspended");

    expectRefusal(await ask("/me", { headers: cookie }), UNAUTHORISED);
  });

  test("signing out ends the session wherever its cookie went, and may be repeated", async () => {
    const cookie = await sessionOf((await newKey()).secret);

    const replies = [
      await ask("/me/session", { method: "DELETE", headers: cookie }),
      await ask("/me/session", { method: "DELETE", headers: cookie }),
    ];

    expect(replies.map(({ status }) => status)).toEqual([204, 204]);
    expect(replies[0]?.headers["set-cookie"]).toEqual([expect.stringContaining("tollgate_key=; Path=/; Max-Age=0")]);
    expectRefusal(await ask("/me", { headers: cookie }), UNAUTHORISED);
  });

  test("signing in never keeps the session that was sent along", async () => {
    const [mine, theirs] = await Promise.all([newKey(), newKey()]);
    const planted = await sessionOf(theirs.secret);

    const reply = await signIn(mine.secret, planted);

    expect(cookieOf(reply)).not.toEqual(planted);
    expectRefusal(await ask("/me", { headers: planted }), UNAUTHORISED);
    expect((await read<Me>("/me", cookieOf(reply))).key.id).toBe(mine.id);
  });

  test.each([
    ["origin", "https://evil.example"],
    ["origin", "null"],
    ["sec-fetch-site", "cross-site"],
    ["sec-fetch-site", "same-site"],
  ])("a page of another site can neither sign in nor out (%s: %s)", async (name, value) => {
    const { secret } = await newKey();
    const cookie = await sessionOf(secret);
    const foreign = [name, value];

    const replies = [
      await signIn(secret, foreign),
      await ask("/me/session", { method: "DELETE", headers: [...cookie, ...foreign] }),
    ];

    for (const reply of replies) {
      expectRefusal(reply, { ...INVALID, param: "origin" });
      expect(reply.headers["set-cookie"]).toBeUndefined();
    }
    expect((await ask("/me", { headers: cookie })).status).toBe(200);
  });

  test("the gateway's own pages sign in and out", async () => {
    const { secret } = await newKey();
    const own = ["origin", stage.gateway.publicUrl, "sec-fetch-site", "same-origin"];

    const signedIn = await signIn(secret, own);

    expect(signedIn.status).toBe(201);
    const out = await ask("/me/session", { method: "DELETE", headers: [...cookieOf(signedIn), ...own] });
    expect(out.status).toBe(204);
  });

  test("an address that tries unknown keys must wait, and so must one that makes up sessions", async () => {
    const from = (address: string): string[] => ["x-forwarded-for", address];
    const wrong = (await newKey()).secret;
    const guesses = Array.from({ length: 5 }, (_, index) => `tgs_007${String(index).repeat(64)}`);

    const sessions: number[] = [];
    for (const guess of guesses)
      sessions.push(
        (await ask("/me", { headers: ["cookie", `tollgate_key=${guess}`, ...from("203.0.113.1")] })).status,
      );
    const keys: number[] = [];
    for (let count = 0; count < 5; count++) keys.push((await signIn(unknownKey(count), from("203.0.113.2"))).status);

    expect(sessions).toEqual([401, 401, 401, 401, 429]);
    expect(keys).toEqual([401, 401, 401, 401, 429]);
    expect((await signIn(wrong, from("203.0.113.2"))).status).toBe(201);
  });

  test("a key reaches no stored row, no log line and no error, whatever it was sent as", async () => {
    const { secret } = await newKey();
    const cookie = await sessionOf(secret);

    const replies = await Promise.all([
      ask(`/me?key=${secret}`, { headers: cookie }),
      ask(`/me?${secret}`, { headers: cookie }),
      ask(`/me/ledger?after=${secret}`, { headers: cookie }),
      ask("/me/session", { method: "POST", headers: JSON_TYPE, body: JSON.stringify({ [secret]: 1 }) }),
      ask("/me/session", { method: "POST", headers: JSON_TYPE, body: JSON.stringify({ key: [secret] }) }),
      ask("/me/session", { method: "POST", headers: JSON_TYPE, body: `{"key": ${secret}` }),
      signIn(`${secret}x`),
      ask(`/me/${secret}`),
    ]);

    for (const reply of replies) {
      expect([400, 401, 404]).toContain(reply.status);
      expect(reply.text).not.toContain(secret.slice(12));
    }
    const rows = await stage.query<{ row: string }>("select key_session::text as row from key_session");
    expect(rows.length).toBeGreaterThan(0);
    const [, token = ""] = (cookie[1] ?? "").split("=");
    for (const text of [rows.map(({ row }) => row).join("\n"), stage.output()]) {
      expect(text).not.toContain(secret.slice(12));
      expect(text).not.toContain(token.slice(12));
    }
  });

  test("a body has one field, is JSON and is small", async () => {
    const post = (body: string, headers = JSON_TYPE): Promise<Reply> =>
      ask("/me/session", { method: "POST", headers, body });

    expectRefusal(await post("{}"), { ...INVALID, param: "key" });
    expectRefusal(await post("key=tgc_x", ["content-type", "application/x-www-form-urlencoded"]), INVALID);
    const { message } = expectRefusal(await post(JSON.stringify({ key: "k".repeat(4_096) })), INVALID);
    expect(message).toContain("4,096 bytes");
  });

  test("a key has at most twenty sessions: with one more, the oldest ends", async () => {
    const { secret } = await newKey();
    const cookies: string[][] = [];
    for (let count = 0; count < 21; count++) cookies.push(await sessionOf(secret));

    const statusOf = async (cookie: readonly string[]): Promise<number> =>
      (await ask("/me", { headers: cookie })).status;

    expect(await statusOf(cookies[0] ?? [])).toBe(401);
    expect(await statusOf(cookies[1] ?? [])).toBe(200);
    expect(await statusOf(cookies[20] ?? [])).toBe(200);
  });

  test("a session ends after twelve hours", async () => {
    const cookie = await sessionOf((await newKey()).secret);

    await stage.query("update key_session set expires_at = expires_at - interval '12 hours'");

    expectRefusal(await ask("/me", { headers: cookie }), UNAUTHORISED);
  });
});

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** A key of the right form that nobody made: its checksum can be computed by anyone. */
function unknownKey(number: number): string {
  const body = `tgc_007${String(number).repeat(32)}`;
  let rest = crc32(body);
  let checksum = "";
  for (let at = 0; at < 6; at++) {
    checksum = BASE62[rest % 62] + checksum;
    rest = Math.floor(rest / 62);
  }
  return body + checksum;
}
