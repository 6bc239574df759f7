import { afterAll, beforeAll, expect, test } from "vitest";
import { type AdminApp, buildAdmin, emptyDatabase } from "../../tests/support/admin-app.ts";
import { createId } from "../core/ids.ts";
import { ROLES } from "../core/people/role.ts";
import type { Database } from "../db/database.ts";
import { createPeopleStore } from "../people/people-store.ts";
import type { Grant } from "../people/person.ts";
import { createRecognise } from "../entrance/recognise.ts";
import { createSessionStore } from "../entrance/session/session-store.ts";
import { createTokenStore } from "../entrance/token/token-store.ts";

let database: Database;
let admin: AdminApp;
const ids: Record<string, string> = {};
const cookies: Record<string, string> = {};

async function account(name: string, parent: string | null): Promise<string> {
  const reply = await admin.ask("POST", "/admin/v1/accounts", { name, parent, kind: "team" });
  return reply.json<{ account: { id: string } }>().account.id;
}

async function signedIn(email: string, grants: readonly Grant[]): Promise<string> {
  const id = createId(Date.now());
  const order = { id, email, name: email, accountId: null, passwordHash: null, grants, source: "given" } as const;
  await createPeopleStore(database).insert({ ...order, atMs: Date.now() });
  const parts = { sessions: createSessionStore(database), tokens: createTokenStore(database), nowMs: Date.now };
  const from = { via: "password", address: "127.0.0.1", agent: "", passwordHash: null } as const;
  return (await createRecognise(parts).openSession(id, from)).secret;
}

const ask = (who: string, method: "GET" | "POST", url: string, payload?: object) =>
  admin.app.inject({
    method,
    url: `/admin/v1${url}`,
    headers: { host: "here", origin: "http://here", cookie: `tollgate_session=${cookies[who]}` },
    ...(payload && { payload }),
  });

beforeAll(async () => {
  database = await emptyDatabase();
  admin = buildAdmin(database);
  await account("Acme", null);
  ids["Ads"] = await account("Ads", "Acme");
  ids["Hidden"] = await account("Hidden", "Acme");
  ids["Rival"] = await account("Rival", null);
  const grants = ROLES.map((role) => ({ role, accountId: ids["Ads"] ?? null }));
  cookies["lead"] = await signedIn("lead@acme.example", grants);
  cookies["nobody"] = await signedIn("nobody@acme.example", []);
}, 180_000);
afterAll(async () => {
  await admin.app.close();
  await database.close();
});

const LISTS = ["/audit", "/audit/export.csv", "/requests", "/requests/export.csv", "/live", "/live/events", "/series"];
const NAMES = ["Nowhere", "Acme/Hidde", "Acme/Hidden", "Hidden"];

test.each(LISTS)("to a lead, %s says the same of an account elsewhere and of one that is nowhere", async (path) => {
  const replies = await Promise.all(
    [...NAMES, ids["Hidden"] ?? "", createId(Date.now())].map((name) =>
      ask("lead", "GET", `${path}?account=${encodeURIComponent(name)}`),
    ),
  );

  const said = replies.map(
    (reply) => `${reply.statusCode} ${reply.json<{ error: { message: string } }>().error.message}`,
  );
  expect([...new Set(said)]).toEqual(["404 There is nothing of this name in the accounts that your role holds for."]);
});

test.each(["/requests", "/live", "/series"])(
  "to a lead, %s says the same of a key elsewhere and of one that is nowhere",
  async (path) => {
    const made = await admin.ask("POST", "/admin/v1/keys", { mode: "credit", account: "Acme/Hidden" });
    const { prefix } = made.json<{ key: { prefix: string } }>().key;

    const replies = await Promise.all([prefix, "tgc_AAAAAAAA"].map((key) => ask("lead", "GET", `${path}?key=${key}`)));

    const said = replies.map((reply) => reply.json<{ error: { message: string } }>().error.message);
    expect([replies.map(({ statusCode }) => statusCode), new Set(said).size]).toEqual([[404, 404], 1]);
  },
);

test.each(["lead", "nobody"])("a token that %s asks for elsewhere tells nothing of the accounts there", async (who) => {
  for (const name of [...NAMES, ids["Hidden"] ?? "", ids["Rival"] ?? ""]) {
    const reply = await ask(who, "POST", "/tokens", { name: "mine", days: 1, account: name });

    expect([reply.statusCode, /Hidden|Rival/.test(reply.body)]).toEqual([404, false]);
  }
});

test("a lead narrows a token to their own account", async () => {
  const reply = await ask("lead", "POST", "/tokens", { name: "mine", days: 1, account: "Acme/Ads" });

  expect(reply.statusCode).toBe(201);
});

test("a lead moves a key of theirs to no account elsewhere", async () => {
  const made = await ask("lead", "POST", "/keys", { mode: "credit", account: "Acme/Ads" });
  const { id } = made.json<{ key: { id: string } }>().key;

  const replies = await Promise.all(
    [...NAMES, ids["Hidden"] ?? "", ids["Rival"] ?? ""].map((to) =>
      ask("lead", "POST", `/keys/${id}/move`, { account: to }),
    ),
  );

  expect(new Set(replies.map(({ statusCode }) => statusCode))).toEqual(new Set([404]));
});
