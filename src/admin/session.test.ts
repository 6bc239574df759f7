import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AdminApp, buildAdmin, emptyDatabase } from "../../tests/support/admin-app.ts";
import { type Clock, systemClock } from "../core/clock.ts";
import type { Database } from "../db/database.ts";
import { createPasswordSignInOn } from "../app/entrance/create-people.ts";
import type { OperatorEvents } from "../telemetry/operator-events.ts";

const PASSWORD = "correct horse battery staple";
const EMAIL = "ann@acme.example";
const ORIGIN = "http://127.0.0.1:8081";

let database: Database;
let admin: AdminApp;
let movedMs = 0;
const clock: Clock = { ...systemClock, nowMs: () => systemClock.nowMs() + movedMs };
const events = { personChanged: () => undefined, auditEndLost: () => undefined } as unknown as OperatorEvents;

beforeAll(async () => {
  database = await emptyDatabase();
  admin = buildAdmin(database, { clock });
}, 180_000);
afterAll(async () => {
  await admin.app.close();
  await database.close();
});

type Sent = { cookie?: string; origin?: string; address?: string };
const send = (method: "GET" | "POST" | "DELETE", url: string, body?: object, { cookie, origin, address }: Sent = {}) =>
  admin.app.inject({
    method,
    url: `/admin/v1${url}`,
    remoteAddress: address ?? "127.0.0.1",
    headers: { host: "127.0.0.1:8081", ...(cookie && { cookie }), ...(origin && { origin }) },
    ...(body && { payload: body }),
  });
const signIn = (password = PASSWORD, over: Sent & { email?: string } = {}) =>
  send("POST", "/session", { email: over.email ?? EMAIL, password }, over);
const cookieOf = (reply: { headers: Record<string, unknown> }) =>
  String(reply.headers["set-cookie"]).split(";")[0] ?? "";
const codeOf = (reply: { json: () => unknown }) => (reply.json() as { error: { code: string } }).error.code;

test("the setup token makes the first owner, once, within a day", async () => {
  const setUp = (token: string) => send("POST", "/setup", { token, email: EMAIL, password: PASSWORD });
  const door = createPasswordSignInOn({ database, events, clock });
  const offered = async () => (await door.offerSetup(0))?.token ?? "";
  const first = await offered();
  expect((await setUp(`${first.slice(0, -1)}_`)).statusCode).toBe(401);
  movedMs += 86_400_000;
  expect((await setUp(first)).statusCode).toBe(401);
  const token = await offered();
  const waysIn = async () => (await send("GET", "/sign-in")).json<object>();
  expect(await waysIn()).toEqual({ sso: false, setup: true, signed_in: false });

  const reply = await setUp(token);

  expect(reply.statusCode).toBe(201);
  expect(reply.headers["set-cookie"]).toMatch(/^tollgate_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/);
  expect(reply.json()).toMatchObject({ person: { email: EMAIL, grants: [{ role: "owner", account: null }] } });
  expect((await setUp(token)).statusCode).toBe(409);
  expect(await door.offerSetup(0)).toBeNull();
  expect(await waysIn()).toEqual({ sso: false, setup: false, signed_in: false });
  await expect(
    door.makeFirst({ email: "eve@x.example", name: null, password: PASSWORD }, { actor: "x" }),
  ).rejects.toThrow("set up already");
});

test("a password opens a session, which shows who it is until they sign out", async () => {
  const reply = await signIn(PASSWORD, { email: "Ann@ACME.example" });
  const cookie = cookieOf(reply);

  const isSignedIn = async () =>
    (await send("GET", "/sign-in", undefined, { cookie })).json<{ signed_in: boolean }>().signed_in;

  expect((await send("GET", "/session", undefined, { cookie })).json()).toMatchObject({
    actor: EMAIL,
    via: "password",
    gateway_url: "http://127.0.0.1:8080",
  });
  expect(await isSignedIn()).toBe(true);
  expect((await send("DELETE", "/session", undefined, { cookie, origin: ORIGIN })).statusCode).toBe(200);
  expect((await send("GET", "/session", undefined, { cookie })).statusCode).toBe(401);
  expect(await isSignedIn()).toBe(false);
});

test("whatever cookie a browser had before, signing in gives it another and ends the old one", async () => {
  const planted = "tollgate_session=0000000000000000000000000000000000000000000";
  const first = cookieOf(await signIn(PASSWORD, { cookie: planted }));
  expect(first).not.toBe(planted);
  expect((await send("GET", "/session", undefined, { cookie: planted })).statusCode).toBe(401);

  const second = cookieOf(await signIn(PASSWORD, { cookie: first }));

  expect(second).not.toBe(first);
  expect((await send("GET", "/session", undefined, { cookie: first })).statusCode).toBe(401);
  expect((await send("GET", "/session", undefined, { cookie: second })).statusCode).toBe(200);
});

test("a page elsewhere can neither sign anybody in nor change anything with a session", async () => {
  expect((await signIn(PASSWORD, { origin: "https://evil.example" })).statusCode).toBe(403);
  const cookie = cookieOf(await signIn(PASSWORD, { origin: ORIGIN }));
  const body = { email: "new@acme.example" };

  expect((await send("POST", "/people", body, { cookie, origin: "https://evil.example" })).statusCode).toBe(403);
  expect((await send("POST", "/people", body, { cookie })).statusCode).toBe(403);
  expect((await send("POST", "/people", body, { cookie, origin: ORIGIN })).statusCode).toBe(201);
});

test("ten wrong passwords lock the email at that address, say for how long, and end by themselves", async () => {
  const from = { address: "127.0.0.9", email: "new@acme.example" };
  const wrong = await Promise.all(Array.from({ length: 11 }, () => signIn("wrong", from)));

  const statuses = wrong.map(({ statusCode }) => statusCode).toSorted((one, other) => one - other);
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429]);
  const locked = await signIn(PASSWORD, from);
  expect([codeOf(locked), Number(locked.headers["retry-after"]) > 800]).toEqual(["rate_limit_exceeded", true]);
  // Anybody can go on for ever, and the audit log keeps all of its entries.
  const entries = await database.query("select from audit where actor = $1 and address = $2", [
    from.email,
    from.address,
  ]);
  expect(entries).toHaveLength(10);
  expect((await signIn(PASSWORD, { address: "127.0.0.10" })).statusCode).toBe(201);
  movedMs += 900_001;
  expect((await signIn("wrong", from)).statusCode).toBe(401);
});

test("an unknown email gets the same response as a wrong password", async () => {
  const [known, unknown] = [await signIn("wrong"), await signIn("wrong", { email: "who@acme.example" })];
  const said = ({ json }: typeof known) => ({ ...json().error, request_id: null });

  expect([known.statusCode, said(known)]).toEqual([unknown.statusCode, said(unknown)]);
});

test("no password is taken over plain http from another machine", async () => {
  const { placeOf } = await import("./routes/session.ts");
  const { createSessionCookie } = await import("./session-cookie.ts");
  const came = {
    method: "POST",
    url: "/admin/v1/session",
    address: "192.0.2.1",
    agent: "",
    headers: { host: "gate" },
    isLocal: false,
  };

  expect(() => placeOf(came, createSessionCookie(null))).toThrow("admin.public_url");
  expect(() => placeOf(came, createSessionCookie("http://gate"))).toThrow("admin.public_url");
  expect(placeOf(came, createSessionCookie("https://gate"))).toMatchObject({ address: "192.0.2.1" });
});

describe("a personal token", () => {
  const make = async (body: object) => {
    const cookie = cookieOf(await signIn());
    return (await send("POST", "/tokens", body, { cookie, origin: ORIGIN })).json<{
      secret: string;
      token: { id: string };
    }>();
  };
  const status = async (secret: string, method: "GET" | "POST" = "GET", url = "/admin/v1/keys", body?: object) =>
    (await admin.ask(method, url, body, secret)).statusCode;

  test("works until it expires", async () => {
    const { secret } = await make({ name: "report", days: 1 });
    expect(await status(secret)).toBe(200);
    movedMs += 86_400_001;
    expect(await status(secret)).toBe(401);
  });

  test("works until it is revoked, makes no tokens and sets no password", async () => {
    const { secret, token } = await make({ name: "report", days: 1 });
    expect(await status(secret, "POST", "/admin/v1/tokens", { name: "child" })).toBe(403);
    const body = { password: PASSWORD, current: PASSWORD };
    expect(await status(secret, "POST", `/admin/v1/people/${EMAIL}/password`, body)).toBe(403);
    expect((await admin.ask("DELETE", `/admin/v1/tokens/${token.id}`, undefined, secret)).statusCode).toBe(200);
    expect(await status(secret)).toBe(401);
  });
});

test("the last owner stays an owner, and a new password ends every session", async () => {
  const cookie = cookieOf(await signIn());
  const as = { cookie, origin: ORIGIN };

  expect((await send("DELETE", `/people/${EMAIL}`, undefined, as)).statusCode).toBe(409);
  expect((await send("POST", `/people/${EMAIL}/grants`, { grants: [] }, as)).statusCode).toBe(409);
  const changed = { password: "another horse battery staple", current: "wrong" };
  expect((await send("POST", `/people/${EMAIL}/password`, changed, as)).statusCode).toBe(400);
  const right = { ...changed, current: PASSWORD };
  expect((await send("POST", `/people/${EMAIL}/password`, right, as)).statusCode).toBe(200);
  expect((await send("GET", "/session", undefined, { cookie })).statusCode).toBe(401);
});

test("no secret of a person stands in the audit log", async () => {
  const rows = await database.query<{ text: string }>("select a::text as text from audit a");

  expect(rows.length).toBeGreaterThan(5);
  for (const { text } of rows) expect(text).not.toMatch(/horse battery|tgp_\w{20}|argon2/);
});
