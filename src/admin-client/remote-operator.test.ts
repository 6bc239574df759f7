import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { remoteOperator } from "./remote-operator.ts";

let server: Server | null = null;
afterEach(() => {
  server?.close();
  server?.closeAllConnections();
});

async function gateway(status: number, body: string) {
  const asked: string[] = [];
  const bodies: string[] = [];
  server = createServer((request, response) => {
    asked.push(`${request.method ?? ""} ${request.url ?? ""} ${request.headers.authorization ?? ""}`);
    request.on("data", (bytes: Buffer) => bodies.push(bytes.toString()));
    request.on("end", () => response.writeHead(status, { "content-type": "application/json" }).end(body));
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { operator: remoteOperator({ adminUrl: `http://127.0.0.1:${port}`, adminToken: "t" }), asked, bodies };
}

const by = { actor: "a" };
const topUp = { amount: 1_000_000_000n, kind: "grant", reference: "a" } as const;

const FUNDED = {
  key: { id: "0198c2b8-0000-7000-8000-000000000001", prefix: "tgc_a034Fq4J" },
  result: "funded",
  reference: "a",
  funds: {
    unit: "credit",
    balance: "1.000000001",
    reserved: "0",
    available: "1.000000001",
    purchased: "1.000000001",
    used: "-0.5",
    budget: null,
    period: null,
    period_ends_at: null,
    today: "0",
    last_request: "0",
    requests: 0,
    input_tokens: 0,
    output_tokens: 0,
    spent: "0",
    counters: [],
  },
};

test("a key's name cannot lead to another path", async () => {
  const { operator, asked } = await gateway(200, JSON.stringify(FUNDED));

  const { funds } = await operator.funds.topUp("../x?y=1#z", topUp, by);

  expect(asked).toEqual(["POST /admin/v1/keys/..%2Fx%3Fy%3D1%23z/topups Bearer t"]);
  expect(funds).toMatchObject({ balance: 1_000_000_001n, used: -500_000_000n });
});

test.each(["{}", "[]", JSON.stringify({ ...FUNDED, funds: { ...FUNDED.funds, balance: "a lot" } })])(
  "an answer that cannot be read leaves open whether it was done: %s",
  async (body) => {
    const { operator } = await gateway(200, body);

    await expect(operator.funds.topUp("k", topUp, by)).rejects.toMatchObject({
      name: "GatewayUnreachableError",
      message: expect.stringContaining("is it of another version?") as string,
    });
  },
);

test("a refusal is passed on in its own words", async () => {
  const { operator } = await gateway(409, JSON.stringify({ error: { message: "it is revoked." } }));

  await expect(operator.keys.changeStatus("k", "resume", by)).rejects.toMatchObject({
    name: "GatewayRefusalError",
    message: "it is revoked.",
  });
});

test("what a DELETE is asked stands in its query", async () => {
  const { operator, asked } = await gateway(200, JSON.stringify({ ended: 1 }));
  const session = "0198c2b8-0000-7000-8000-000000000002";

  await operator.people.endSessions("a@b", { except: session }, { actor: "a" });
  await operator.people.endSessions("a@b", { except: null }, { actor: "a" });
  await operator.clientSessions.end("a@b", session, { actor: "a" });

  expect(asked).toEqual([
    `DELETE /admin/v1/people/a%40b/sessions?except=${session} Bearer t`,
    "DELETE /admin/v1/people/a%40b/sessions Bearer t",
    `DELETE /admin/v1/people/a%40b/client-sessions/${session} Bearer t`,
  ]);
});

test("what a list is searched for stands in the query of every page", async () => {
  const { operator, asked } = await gateway(200, JSON.stringify({ data: [], next: null }));

  await operator.keys.list({ limit: 5, after: null, search: "50% off" });
  await operator.accounts.list({ limit: 5, after: "x" });

  expect(asked).toEqual([
    "GET /admin/v1/keys?limit=5&search=50%25+off Bearer t",
    "GET /admin/v1/accounts?limit=5&after=x Bearer t",
  ]);
});

test("what a key has, and what an account has, is asked for at its own path", async () => {
  const page = { key: null, account: null, unit: "credit", counter_kind: null, data: [], next: null, opening: "0.5" };
  const { operator, asked } = await gateway(200, JSON.stringify(page));

  const { opening } = await operator.books.journal({ kind: "key", name: "a/b" }, { limit: 5, after: null });
  await operator.books.journal({ kind: "account", name: "Acme/Search" }, { limit: 5, after: "next" });

  expect(asked).toEqual([
    "GET /admin/v1/keys/a%2Fb/journal?limit=5 Bearer t",
    "GET /admin/v1/accounts/Acme%2FSearch/journal?limit=5&after=next Bearer t",
  ]);
  expect(opening).toBe(500_000_000n);
});

test("what the gateway would refuse is told in the same words, without asking", async () => {
  const { operator, asked } = await gateway(200, "{}");

  await expect(operator.accounts.create({ name: " a", parent: null, kind: "team" }, { actor: "a" })).rejects.toThrow(
    /^name: Input should be a name without a slash/,
  );
  expect(asked).toEqual([]);
});

test.each([
  [500, JSON.stringify({ error: { message: "Something went wrong." } })],
  [502, "<html>"],
])("an answer of %i leaves open whether it was done", async (status, body) => {
  const { operator } = await gateway(status, body);

  await expect(operator.funds.topUp("k", topUp, by)).rejects.toMatchObject({ name: "GatewayUnreachableError" });
});

test("a gateway that is gone is named", async () => {
  const operator = remoteOperator({ adminUrl: "http://127.0.0.1:1", adminToken: "t" });

  await expect(operator.keys.list({ limit: 1, after: null })).rejects.toThrow(
    "the gateway at http://127.0.0.1:1 does not answer",
  );
});

test("a gateway of the version before is asked for nothing that it does not know, and its answer lacks what may be null", async () => {
  const secret = "tgc_a034Fq4JxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxA";
  const key = {
    id: "0198c2b8-0000-7000-8000-000000000001",
    prefix: "tgc_a034Fq4J",
    account_id: null,
    mode: "credit",
    status: "active",
    label: "ci",
    provider_scope: "all",
    models: [],
    expires_at: null,
    created_at: "2026-11-19T00:00:00.000Z",
  };
  const { operator, bodies } = await gateway(201, JSON.stringify({ key, secret }));
  const order = { mode: "credit", account: null, label: "ci", providerScope: "all", models: [], tiers: null } as const;

  const created = await operator.keys.create(
    { ...order, rpmLimit: null, expiresAtMs: null, credit: 5_000_000_000n, budget: null, existing: null } as never,
    by,
  );

  expect(JSON.parse(bodies.join(""))).toEqual({
    mode: "credit",
    label: "ci",
    provider_scope: "all",
    models: [],
    credit: "5",
  });
  expect(created).toMatchObject({ secret, key: { tiers: null, accountTiers: null, personId: null, rpmLimit: null } });
});

test("null that says something is sent", async () => {
  const { operator, bodies } = await gateway(200, "{}");

  await operator.keys.update("tgc_a034Fq4J", { label: null, rpmLimit: 5 }, by).catch(() => undefined);

  expect(JSON.parse(bodies.join(""))).toEqual({ label: null, rpm_limit: 5 });
});
