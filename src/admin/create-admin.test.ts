import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type AdminApp, buildAdmin, emptyDatabase, OPERATOR_TOKEN as TOKEN } from "../../tests/support/admin-app.ts";
import type { Database } from "../db/database.ts";

let database: Database;
beforeAll(async () => {
  database = await emptyDatabase();
  const { app, ask } = buildAdmin(database);
  await ask("POST", "/admin/v1/catalogue", {
    providers: [{ name: "east", base_url: "https://east.example/v1", credential: "none" }],
    models: [
      {
        id: "m",
        provider: "east",
        routes: [{ provider: "east", upstream_model: "m", format: "chat" }],
        price: { input: "1", output: "1" },
      },
    ],
  });
  await app.close();
});
afterAll(() => database.close());

type Made = { key: { id: string; prefix: string; status: string }; secret: string };

let admin: AdminApp;
beforeEach(async () => {
  await database.script("delete from key_secret; delete from key");
  admin = buildAdmin(database);
});
afterEach(() => admin.app.close());

test("a key is made as it was ordered, and its secret is shown once [KEY-16] [KEY-18] [KEY-20]", async () => {
  const order = { mode: "token_budget", label: "x", provider_scope: "east", models: ["m"], rpm_limit: 5 };
  const reply = await admin.ask("POST", "/admin/v1/keys", { ...order, expires_at: "2030-01-01T00:00:00+01:00" });
  const { key, secret } = reply.json<Made>();
  const listed = await admin.ask("GET", "/admin/v1/keys");

  expect(reply.statusCode).toBe(201);
  expect(secret).toMatch(/^tgt_[0-9a-f]{3}[0-9A-Za-z]{38}$/);
  expect(key).toMatchObject({
    ...order,
    status: "active",
    prefix: secret.slice(0, 12),
    expires_at: "2029-12-31T23:00:00.000Z",
  });
  expect(listed.json()).toMatchObject({ data: [key], next: null });
  expect(listed.body).not.toContain(secret.slice(12));
  expect(admin.told).toEqual([`issued ${key.prefix}`]);
});

test("a key with an empty list of models may use none", async () => {
  const reply = await admin.ask("POST", "/admin/v1/keys", { mode: "credit", models: [] });

  expect(reply.json<Made>()).toMatchObject({ key: { models: [] } });
});

test("keys are listed newest first, page by page", async () => {
  const ids: string[] = [];
  for (const mode of ["credit", "credit", "token_budget"]) {
    ids.unshift((await admin.ask("POST", "/admin/v1/keys", { mode })).json<Made>().key.id);
  }
  type Keys = { data: { id: string }[]; next: string | null };
  const page = async (query: string): Promise<Keys> => (await admin.ask("GET", `/admin/v1/keys?${query}`)).json<Keys>();

  const first = await page("limit=2");
  const second = await page(`limit=2&after=${first.next}`);
  expect([first, second].map(({ data }) => data.map(({ id }) => id))).toEqual([ids.slice(0, 2), ids.slice(2)]);
  expect(second.next).toBeNull();
  expect(await page("limit=3")).toMatchObject({ next: null });
});

test("a key is revoked by id or prefix, and one that does not exist is not found [KEY-4]", async () => {
  for (const name of ["id", "prefix"] as const) {
    const { key } = (await admin.ask("POST", "/admin/v1/keys", { mode: "credit" })).json<Made>();
    const reply = await admin.ask("POST", `/admin/v1/keys/${key[name]}/revoke`);

    expect(reply.statusCode).toBe(200);
    expect(reply.json()).toMatchObject({ key: { id: key.id, status: "revoked" } });
    expect(admin.told.at(-1)).toBe(`revoked ${key.prefix}`);
  }
  const missing = await admin.ask("POST", "/admin/v1/keys/nobody/revoke");
  expect({ status: missing.statusCode, code: missing.json<Refused>().error.code }).toEqual({
    status: 404,
    code: "not_found",
  });
});

type Refused = { error: { code: string; param: string | null; message: string } };

test.each<[param: string, order: unknown]>([
  ["mode", {}],
  ["mode", { mode: "free" }],
  ["label", { mode: "credit", label: 7 }],
  ["label", { mode: "credit", label: "x".repeat(201) }],
  ["label", { mode: "credit", label: "\0" }],
  ["label", { mode: "credit", label: "half a character: \ud83d" }],
  ["provider_scope", { mode: "credit", provider_scope: "" }],
  ["models", { mode: "credit", models: "m" }],
  ["models.1", { mode: "credit", models: ["m", ""] }],
  ["rpm_limit", { mode: "credit", rpm_limit: 0 }],
  ["rpm_limit", { mode: "credit", rpm_limit: 1.5 }],
  ["expires_at", { mode: "credit", expires_at: "tomorrow" }],
  ["expires_at", { mode: "credit", expires_at: "0000-12-31T23:59:59Z" }],
  ["expires_at", { mode: "credit", expires_at: "9999-12-31T23:59:59-00:01" }],
  ["credit", { mode: "credit", credit: 25 }],
  ["credit", { mode: "credit", credit: "25,5" }],
  ["credit", { mode: "token_budget", credit: "25" }],
  ["budget", { mode: "token_budget", budget: -1 }],
  ["budget", { mode: "credit", budget: 5 }],
  ["period", { mode: "token_budget", budget: 5, period: "year" }],
  ["body", { mode: "credit", admin: true }],
  ["body", []],
])("an order that is wrong in `%s` is refused: %j", async (param, order) => {
  const reply = await admin.ask("POST", "/admin/v1/keys", order);

  expect({ status: reply.statusCode, param: reply.json<Refused>().error.param }).toEqual({ status: 400, param });
  expect((await admin.ask("GET", "/admin/v1/keys")).json()).toEqual({ data: [], next: null });
});

test.each(["0001-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"])(
  "a key may expire on %s, and says so when it is asked",
  async (expires_at) => {
    const { key } = (await admin.ask("POST", "/admin/v1/keys", { mode: "credit", expires_at })).json<Made>();

    expect((await admin.ask("GET", `/admin/v1/keys/${key.id}`)).json()).toMatchObject({ key: { expires_at } });
  },
);

test.each(["limit=0", "limit=1001", "limit=x", "after=not-a-cursor", "after=", "order=old"])(
  "the page %s is refused",
  async (query) => {
    expect((await admin.ask("GET", `/admin/v1/keys?${query}`)).statusCode).toBe(400);
  },
);

test("a body that is not JSON is the caller's fault, not a bug", async () => {
  expect((await admin.ask("POST", "/admin/v1/keys", "{")).statusCode).toBe(400);
  expect(admin.told).toEqual([]);
});

test.each([
  "GET /admin/v1/keys",
  "POST /admin/v1/keys",
  "POST /admin/v1/keys/x/revoke",
  "PATCH /admin/v1/keys/x",
  "POST /admin/v1/keys/x/rotate",
  "POST /admin/v1/keys/x/topups",
  "POST /admin/v1/keys/x/budget",
  "GET /admin/v1/keys/x/account",
  "GET /admin/v1/keys/x/journal",
  "GET /admin/v1/keys/x/usage",
  "POST /admin/v1/ledger/verify",
  "GET /admin/v1/providers",
  "POST /admin/v1/providers",
  "GET /admin/v1/providers/x",
  "DELETE /admin/v1/providers/x",
  "POST /admin/v1/providers/x/test",
  "POST /admin/v1/providers/rekey",
  "GET /admin/v1/models",
  "POST /admin/v1/models",
  "GET /admin/v1/models/x",
  "POST /admin/v1/models/publish",
  "POST /admin/v1/models/unpublish",
  "POST /admin/v1/models/import",
  "GET /admin/v1/models/x/prices",
  "POST /admin/v1/models/x/prices",
  "DELETE /admin/v1/models/x/routes/y",
  "POST /admin/v1/catalogue",
  "GET /metrics",
  "GET /nowhere",
])("%s is closed to everybody without the token, also without saying whether it exists", async (route) => {
  const [method = "", url = ""] = route.split(" ");
  for (const token of [null, "", "wrong", `${TOKEN}x`, TOKEN.slice(0, -1)]) {
    const reply = await admin.ask(method as "GET", url, undefined, token);

    expect({ token, status: reply.statusCode }).toEqual({ token, status: 401 });
    expect(reply.json()).toMatchObject({ error: { code: "invalid_credentials" } });
    expect(reply.body).not.toContain(TOKEN);
  }
  expect(admin.told).toEqual(["none", ...Array(4).fill("token")].map((it) => `refused 127.0.0.1: ${it} unknown`));
});

test.each(["/admin/v1/models/%zz", "/admin/v1/keys/%ff", `/admin/v1/keys/${"x".repeat(601)}`])(
  "a path that cannot be read is closed without the token too, and refused like anything else with it: %s",
  async (url) => {
    const closed = await admin.ask("GET", url, undefined, null);
    const refused = await admin.ask("GET", url);

    expect([closed.statusCode, closed.json<Refused>().error.code]).toEqual([401, "invalid_credentials"]);
    expect([refused.statusCode, refused.json<Refused>().error.code]).toEqual([400, "invalid_request"]);
    for (const { headers, body } of [closed, refused]) {
      expect(headers["x-request-id"]).toMatch(/^req_/);
      expect(body).not.toContain("xxxx");
    }
  },
);

test("metrics are for operators; probes are for anybody, and say what is wrong", async () => {
  expect((await admin.ask("GET", "/metrics")).body).toBe("up 1\n");
  expect((await admin.ask("GET", "/livez", undefined, null)).statusCode).toBe(200);
  const broken = buildAdmin(database, { reasons: ["the database does not answer"] });
  const ready = await broken.ask("GET", "/readyz", undefined, null);
  const healthy = await broken.ask("GET", "/healthz", undefined, null);
  await broken.app.close();

  expect(ready.statusCode).toBe(200);
  expect(ready.json()).toEqual({ status: "degraded", reasons: ["the database does not answer"] });
  expect(healthy.statusCode).toBe(503);
  expect(healthy.json()).toEqual({ status: "unavailable", reasons: ["the database does not answer"] });
  expect((await admin.ask("GET", "/healthz", undefined, null)).json()).toEqual({ status: "ok", reasons: [] });
});

test("what nobody foresaw is 500, told to the operator's log and not to the caller [ERR-22]", async () => {
  const broken = buildAdmin(database, {
    list: () => Promise.reject(new Error("password authentication failed for tollgate")),
  });
  const reply = await broken.ask("GET", "/admin/v1/keys");
  await broken.app.close();

  expect({ status: reply.statusCode, id: reply.headers["x-request-id"] }).toMatchObject({
    status: 500,
    id: expect.stringMatching(/^req_/) as string,
  });
  expect(reply.body).not.toContain("password");
  expect(broken.told).toEqual(["bug Error: password authentication failed for tollgate"]);
});

test.each(["ECONNREFUSED", "57P01", "53300"])(
  "a database that is away is 503 with a time to come back, and no bug of ours (%s)",
  async (code) => {
    const away = buildAdmin(database, {
      list: () => Promise.reject(Object.assign(new Error("db at 10.0.0.7"), { code })),
    });
    const reply = await away.ask("GET", "/admin/v1/keys");
    await away.app.close();

    expect(reply.statusCode).toBe(503);
    expect(reply.json<Refused>().error.code).toBe("service_unavailable");
    expect(Number(reply.headers["retry-after"])).toBeGreaterThanOrEqual(1);
    expect(reply.body).not.toContain("10.0.0.7");
    expect(away.told).toEqual(["failed Error: db at 10.0.0.7"]);
  },
);

const HEAD = `POST /admin/v1/keys HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${TOKEN}\r\n`;

test.each([
  ["half a head", "GET /livez HTTP/1.1\r\nHo"],
  ["half a body", `${HEAD}content-length: 9\r\ncontent-type: application/json\r\n\r\n{`],
])("whoever sends %s and then nothing does not keep the listener from closing", async (_what, beginning) => {
  const { app } = buildAdmin(database, { farewellMs: 50 });
  await app.listen({ host: "127.0.0.1", port: 0 });
  const socket = connect((app.server.address() as AddressInfo).port, "127.0.0.1");
  const arrived = once(app.server, "connection").then(([accepted]) => once(accepted as NodeJS.Socket, "data"));
  socket.on("error", () => undefined).write(beginning);
  const closed = once(socket, "close");
  await arrived;

  await app.close();

  await closed;
});
