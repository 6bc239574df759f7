import { crc32 } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bearer, expectRefusal, type FormatAError, knock, type Knock, type Reply } from "../contract/knock.ts";
import { type IssuedKey, issueKey, operate } from "../contract/operator.ts";
import { type ChainedGateway, CREDIT, startChainedGateway } from "../support/chained-gateway.ts";
import { whyUnavailable } from "../support/postgres.ts";
import { until } from "../support/until.ts";

const JSON_TYPE = ["content-type", "application/json"];
const READS_PER_MINUTE = 30;
const UNAUTHORISED = { status: 401, code: "invalid_credentials", type: "authentication_error" };
const INVALID = { status: 400, code: "invalid_request", type: "invalid_request_error" };

let stage: ChainedGateway;

const ask = (path: string, how: Knock = {}): Promise<Reply> => knock(`${stage.gateway.publicUrl}${path}`, how);
const signIn = (key: string, headers: readonly string[] = []): Promise<Reply> =>
  ask("/me/session", { method: "POST", headers: [...JSON_TYPE, ...headers], body: JSON.stringify({ key }) });

/** The cookie as a browser sends it back. */
function cookieOf({ headers }: Reply): string[] {
  const [pair = ""] = headers["set-cookie"]?.[0]?.split(";") ?? [];
  return ["cookie", pair];
}

const sessionOf = async (key: string): Promise<string[]> => cookieOf(await signIn(key));
const jsonOf = async <Body>(reply: Promise<Reply>): Promise<Body> => JSON.parse((await reply).text) as Body;
const read = <Body>(path: string, headers: readonly string[]): Promise<Body> => jsonOf<Body>(ask(path, { headers }));

const chat = (key: string, model = "chat"): Promise<Reply> =>
  ask(`${key.startsWith("tgt_") ? "/token" : ""}/v1/chat/completions`, {
    method: "POST",
    headers: [...bearer(key), ...JSON_TYPE],
    body: JSON.stringify({ model, max_tokens: 20, messages: [{ role: "user", content: "Hello" }] }),
  });

const newKey = (order: Record<string, unknown> = {}): Promise<IssuedKey> =>
  issueKey(stage.gateway, { credit: "100", ...order });

type Me = {
  object: string;
  key: { prefix: string; mode: string; id: string };
  requests: { total: number };
  limits: { account: string | null; kind: string; unit: string; available: string; charged: string }[];
  session: { expires_at: string } | null;
};
type Ledger = { data: { kind: string; request_id: string | null; credits: string }[]; next: string | null };

describe.skipIf(whyUnavailable("15"))("the key holder's API", () => {
  beforeAll(async () => {
    stage = await startChainedGateway({
      TOLLGATE_HOLDER_READS_PER_MINUTE: String(READS_PER_MINUTE),
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

  test("a token-budget key is served at the same place, as a session and as a bearer key", async () => {
    const { secret } = await issueKey(stage.gateway, { mode: "token_budget", budget: 5_000 });
    await chat(secret);

    const [bySession, byKey] = await Promise.all([
      read<Me>("/me", await sessionOf(secret)),
      read<Me>("/me", bearer(secret)),
    ]);

    expect(bySession.key.mode).toBe("token_budget");
    expect(byKey).toEqual({ ...bySession, session: null });
    expect(byKey.limits).toMatchObject([{ account: null, kind: "limit", unit: "tokens" }]);
    expect(byKey.requests.total).toBe(1);
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

  test("a key under accounts sees its own requests and every limit above it", async () => {
    const org = await stage.account("Acme");
    await stage.limit(org, { amount: 50n * CREDIT });
    await stage.purse(org, 100n * CREDIT);
    const team = await stage.account("Search", org);
    const [ann, bob] = [await stage.key(team), await stage.key(team)];
    await Promise.all([chat(ann), chat(bob), chat(bob)]);

    const me = await read<Me>("/me", bearer(ann));
    const { data } = await read<Ledger>("/me/ledger", bearer(ann));

    expect(me.limits).toMatchObject([
      { account: "Acme", kind: "limit" },
      { account: "Acme", kind: "purse" },
    ]);
    expect(me.requests.total).toBe(1);
    expect(data).toHaveLength(1);
  });

  test("the ledger lists what was funded and charged, page by page, without the names of operators", async () => {
    const { id, secret } = await newKey();
    await operate(stage.gateway, `POST /keys/${id}/topups`, { amount: "5", reference: "invoice-7" });
    const charged = await chat(secret);
    const cookie = await sessionOf(secret);

    const first = await read<Ledger>("/me/ledger?limit=2", cookie);
    const second = await read<Ledger>(`/me/ledger?limit=2&after=${first.next}`, cookie);

    const entries = [...first.data, ...second.data];
    expect(entries.map(({ kind }) => kind)).toEqual(["completed", "purchase", "purchase"]);
    expect(entries[0]?.request_id).toBe(charged.headers["x-request-id"]);
    expect(JSON.stringify(entries)).toContain("invoice-7");
    expect(JSON.stringify(entries)).not.toMatch(/actor|"admin"/);
    expect(second.next).toBeNull();
  });

  test("a page of another key's ledger is refused", async () => {
    const [mine, theirs] = await Promise.all([newKey(), newKey()]);
    await operate(stage.gateway, `POST /keys/${theirs.id}/topups`, { amount: "5", reference: "second" });
    const { next } = await read<Ledger>("/me/ledger?limit=1", bearer(theirs.secret));

    const reply = await ask(`/me/ledger?after=${next}`, { headers: bearer(mine.secret) });

    expectRefusal(reply, { ...INVALID, param: "after" });
  });

  test("models are those that the key may use, with their prices", async () => {
    const { secret } = await newKey({ models: ["chat"] });

    const models = await read<{ data: { id: string; pricing: object }[] }>("/me/models", await sessionOf(secret));

    expect(models.data).toMatchObject([
      { id: "chat", pricing: { unit: "credits_per_million_tokens", input: 1000, output: 1000 } },
    ]);
  });

  test("HEAD works wherever GET does", async () => {
    const cookie = await sessionOf((await newKey()).secret);

    for (const path of ["/me", "/me/ledger", "/me/models"]) {
      const reply = await ask(path, { method: "HEAD", headers: cookie });
      expect({ path, status: reply.status, text: reply.text }).toEqual({ path, status: 200, text: "" });
    }
  });

  test.each([
    ["/me/legder", "/me/ledger"],
    ["/me/nothing-like-it", "/me"],
  ])("an unknown path names the nearest: %s", async (path, nearest) => {
    const { message } = expectRefusal(await ask(path), { ...INVALID, status: 404, code: "not_found" });

    expect(message).toContain(`Did you mean ${nearest}?`);
  });

  test("a method that a path does not take is named with those that it does", async () => {
    const reply = await ask("/me/session");

    expectRefusal(reply, { ...INVALID, status: 405, code: "method_not_allowed" });
    expect(reply.headers["allow"]).toBe("POST, DELETE");
  });

  test("reads have a limit of their own and do not count against the key's requests per minute", async () => {
    const { secret } = await newKey({ rpm_limit: 1 });
    const headers = bearer(secret);

    const statuses: number[] = [];
    for (let count = 0; count < READS_PER_MINUTE; count++) statuses.push((await ask("/me/models", { headers })).status);
    const over = await ask("/me", { headers });

    expect(new Set(statuses)).toEqual(new Set([200]));
    const { error } = JSON.parse(over.text) as FormatAError;
    expect([over.status, error.code]).toEqual([429, "rate_limit_exceeded"]);
    expect(error.message).toContain("the limit is 30 per minute");
    expect(Number(over.headers["retry-after"])).toBeGreaterThan(0);
    expect((await chat(secret)).status).toBe(200);
  });

  test("one key holds back no other: only so many of its reads run at once", async () => {
    const { secret } = await newKey();
    const headers = bearer(secret);

    const replies = await Promise.all(Array.from({ length: 20 }, () => ask("/me/ledger", { headers })));

    const statuses = replies.map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
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

  test("reads wait on the connections of operators, and generations do not wait for them", async () => {
    const { secret } = await newKey();
    const cookie = await sessionOf(secret);
    const waiting = "select application_name as name from pg_stat_activity where wait_event_type = 'Lock'";

    const { reads, names, status } = await stage.transaction(async (tx) => {
      await tx.query("lock table key_session in access exclusive mode");
      const reading = Array.from({ length: 6 }, () => ask("/me", { headers: cookie }));
      await until(async () => (await stage.query(waiting)).length >= 4, "every connection of operators waits");
      const found = await stage.query<{ name: string }>(waiting);
      return { reads: reading, names: found.map(({ name }) => name), status: (await chat(secret)).status };
    });

    expect(new Set(names)).toEqual(new Set(["tollgate-operator"]));
    expect(status).toBe(200);
    expect(new Set((await Promise.all(reads)).map((reply) => reply.status))).toEqual(new Set([200]));
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
