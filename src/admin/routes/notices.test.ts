import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type AdminApp, buildAdmin, emptyDatabase } from "../../../tests/support/admin-app.ts";
import { loneKey } from "../../../tests/support/lone-key.ts";
import { createSecret } from "../../core/secret/secret.ts";
import type { Database } from "../../db/database.ts";

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

let database: Database;
let receiver: Server;
let status: number;
beforeAll(async () => {
  database = await emptyDatabase();
  receiver = createServer((request, response) => {
    const repeated = `${String(request.headers["webhook-id"])} ${SECRET}\n`;
    response.writeHead(status).end(status === 200 ? "" : repeated);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => receiver.once("listening", resolve));
});
afterAll(async () => {
  receiver.close();
  await database.close();
});

let admin: AdminApp;
beforeEach(() => {
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/secret-path`;
  admin = buildAdmin(database, {
    notices: { webhooks: createSecret(`ops=${url} ${SECRET}`), timeoutMs: 5_000 },
  });
});
afterEach(() => admin.app.close());

test("a sample says what came back, and neither the secret nor the path of the webhook", async () => {
  status = 200;
  expect((await admin.ask("POST", "/admin/v1/notices/test", {})).json()).toMatchObject({
    tested: [{ endpoint: "ops", delivered: true, status: 200, problem: null, said: "" }],
  });
  status = 401;
  const answer = await admin.ask("POST", "/admin/v1/notices/test", { endpoint: "ops" });
  expect(answer.json()).toMatchObject({ tested: [{ delivered: false, status: 401, problem: "status" }] });
  expect(answer.body).toContain("notice_test_");
  expect(answer.body).not.toContain(SECRET);
  expect(answer.body).not.toContain("secret-path");
  expect((await admin.ask("POST", "/admin/v1/notices/test", { endpoint: "sales" })).statusCode).toBe(404);
});

test("without a webhook a sample is refused with the setting to write", async () => {
  const bare = buildAdmin(database);
  const answer = await bare.ask("POST", "/admin/v1/notices/test", {});
  expect(answer.statusCode).toBe(409);
  expect(answer.body).toContain("notices.webhooks");
  await bare.app.close();
});

test("endpoints are listed with what has not arrived, and neither the secret nor the path of a webhook", async () => {
  await database.script(`
    insert into endpoint values ('log', now()), ('ops', now()), ('elsewhere', now());
    insert into delivery (notice, endpoint, no, counter, state, next_at)
    select gen_random_uuid(), 'ops', n, 1, case when n > 2 then 'dead' else 'waiting' end, now() from generate_series(1, 5) n`);
  const answer = await admin.ask("GET", "/admin/v1/notices/endpoints");
  await database.script("delete from delivery; delete from endpoint");

  expect(answer.json()).toMatchObject({
    endpoints: [
      { endpoint: "log", url: null, waiting: 0, dead: 0 },
      { endpoint: "elsewhere", url: null },
      { endpoint: "ops", url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/…$/), waiting: 2, dead: 3 },
    ],
  });
  expect(answer.body).not.toContain(SECRET);
  expect(answer.body).not.toContain("secret-path");
});

test("thresholds are shown, set and set back; a notice is listed with its words", async () => {
  const { keyId, counter } = await loneKey(database, { mode: "token_budget", funds: 1_000n });
  const path = "/admin/v1/notices/thresholds";
  const shown = async (): Promise<unknown> => (await admin.ask("GET", `${path}?name=${keyId}`)).json();

  expect(await shown()).toMatchObject({
    counters: [{ counter, kind: "limit", thresholds: ["80", "100"], usual: true }],
  });
  expect((await admin.ask("POST", path, { name: keyId, percent: [50, 100] })).json()).toMatchObject({
    counters: [{ thresholds: ["50", "100"], usual: false }],
  });
  expect((await admin.ask("POST", path, { name: keyId, left: ["1"] })).statusCode).toBe(409);
  expect((await admin.ask("POST", path, { name: keyId, percent: [0] })).statusCode).toBe(400);
  expect((await admin.ask("POST", path, { name: "nobody", percent: [1] })).statusCode).toBe(404);

  await database.query("update balance set used = 600, posted = 400 where key_id = $1", [keyId]);
  await admin.ask("POST", path, { name: keyId, percent: [60] });
  expect((await admin.ask("GET", "/admin/v1/notices")).json()).toMatchObject({
    data: [
      {
        counter,
        threshold: "60",
        cause: "used",
        used: "600",
        message: expect.stringContaining("has used 60% of its limit: 600 of 1,000 tokens this month."),
      },
    ],
    next: null,
  });
  await admin.ask("POST", path, { name: keyId, percent: null });
  expect(await shown()).toMatchObject({ counters: [{ thresholds: ["80", "100"], usual: true }] });
  expect((await admin.ask("GET", "/admin/v1/notices?state=dead")).json()).toEqual({ data: [], next: null });
  const listed = async (query: string) =>
    (await admin.ask("GET", `/admin/v1/notices?${query}`)).json<{ data: object[] }>().data.length;
  const other = await loneKey(database, { mode: "token_budget", funds: 1_000n });
  expect([await listed(`key=${keyId}`), await listed(`key=${other.keyId}`)]).toEqual([1, 0]);
  expect([await listed("cause=used"), await listed("cause=refused")]).toEqual([1, 0]);
  expect((await admin.ask("GET", "/admin/v1/notices?account=Nowhere")).statusCode).toBe(404);
  expect((await admin.ask("GET", "/admin/v1/notices?state=lost")).statusCode).toBe(400);
  expect((await admin.ask("POST", "/admin/v1/notices/retry", { notice: null })).json()).toEqual({ retried: 0 });
  expect((await admin.ask("POST", "/admin/v1/notices/retry", { notice: "x" })).statusCode).toBe(404);
});
