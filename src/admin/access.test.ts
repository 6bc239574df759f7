import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AdminApp, buildAdmin, emptyDatabase } from "../../tests/support/admin-app.ts";
import { createId } from "../core/ids.ts";
import { ROLES, type Role } from "../core/people/role.ts";
import type { Database } from "../db/database.ts";
import type { Operation } from "../../build/openapi/document.ts";
import { createPeopleStore } from "../people/people-store.ts";
import type { Grant } from "../people/person.ts";
import { createTokenSecret } from "../entrance/person-secret.ts";
import { createRecognise, SESSION_IDLE_MS } from "../entrance/recognise.ts";
import { createSessionStore } from "../entrance/session/session-store.ts";
import { createTokenStore } from "../entrance/token/token-store.ts";
import { personChange } from "../contract/people.ts";
import { ACCESS, type AccessSubject } from "./access-table.ts";
import { describeAdmin } from "../../build/openapi/admin/describe-admin.ts";

type Method = Parameters<AdminApp["ask"]>[0];
type Described = { method: Method; path: string; operation: Operation };

const document = JSON.parse(JSON.stringify(describeAdmin())) as ReturnType<typeof describeAdmin>;
const operations: Described[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase() as Method, path, operation })),
);
const closed = operations.filter(({ operation }) => !operation.security.some((way) => Object.keys(way).length === 0));

const OUTSIDE = "There is nothing of this name in the accounts that your role holds for.";
const DAY_MS = 86_400_000;

let database: Database;
let admin: AdminApp;
let made = 0;
const ids: Record<string, string> = {};
const tokens: Record<string, string> = {};

async function account(name: string, parent: string | null): Promise<void> {
  const reply = await admin.ask("POST", "/admin/v1/accounts", { name, parent, kind: "team" });
  ids[name] = reply.json<{ account: { id: string } }>().account.id;
}

async function key(name: string, of: string | null): Promise<void> {
  const reply = await admin.ask("POST", "/admin/v1/keys", { mode: "credit", label: `key of ${name}`, account: of });
  ids[`key ${name}`] = reply.json<{ key: { id: string } }>().key.id;
}

async function person(email: string, grants: readonly Grant[], accountId: string | null = null): Promise<string> {
  const id = createId(Date.now() + made++);
  const order = { id, email, name: email, accountId, passwordHash: null, grants, source: "given" } as const;
  await createPeopleStore(database).insert({ ...order, atMs: Date.now() });
  ids[email] = id;
  return id;
}

async function token(personId: string, over: { expiresAtMs?: number; role?: Role; accountId?: string } = {}) {
  const { secret, digest, prefix } = createTokenSecret();
  const createdAtMs = Date.now() - DAY_MS;
  const id = createId(Date.now() + made++);
  const usual = { sessionId: null, role: null, accountId: null, createdAtMs, expiresAtMs: Date.now() + DAY_MS };
  await createTokenStore(database).insert({ id, digest, prefix, personId, name: "a test", ...usual, ...over });
  return secret;
}

beforeAll(async () => {
  database = await emptyDatabase();
  admin = buildAdmin(database);
  await account("Acme", null);
  for (const team of ["Search", "Ads"]) {
    await account(team, "Acme");
    await account(`${team}-below`, `Acme/${team}`);
    await key(team, `Acme/${team}/${team}-below`);
    await person(`member-of-${team.toLowerCase()}@acme.example`, [], ids[`${team}-below`] ?? null);
  }
  for (const role of ROLES)
    tokens[role] = await token(await person(`${role}@acme.example`, [{ role, accountId: null }]));
  for (const team of ["Search", "Ads"]) {
    const grants = ROLES.map((role) => ({ role, accountId: ids[team] ?? null }));
    tokens[`lead of ${team}`] = await token(await person(`lead-of-${team.toLowerCase()}@acme.example`, grants));
  }
  tokens["nobody"] = await token(await person("nobody@acme.example", []));
  tokens["expired"] = await token(ids["owner@acme.example"] ?? "", { expiresAtMs: Date.now() - 1 });
}, 180_000);
afterAll(async () => {
  await admin.app.close();
  await database.close();
});

/** A request as the description shows it, about what lies in the subtree of a team. */
function requestOf({ method, path, operation }: Described, team: string) {
  const access = ACCESS[operation.operationId];
  const inside = {
    account: ids[`${team}-below`] ?? "",
    key: ids[`key ${team}`] ?? "",
    holder: ids[`key ${team}`] ?? "",
    person: ids[`member-of-${team.toLowerCase()}@acme.example`] ?? "",
  };
  const body: Record<string, unknown> = {
    ...(operation.requestBody?.content["application/json"]?.examples?.["request"]?.value as object | undefined),
  };
  const query = new URLSearchParams();
  const subjects = Array.isArray(access?.subtree) ? (access.subtree as readonly AccessSubject[]) : [];
  for (const subject of subjects) {
    const [[kind, field] = ["", ""]] = Object.entries(subject) as [string, string][];
    const [part = "", name = ""] = field.split(".");
    if (kind === "never") delete body[name];
    else if (part === "body") body[name] = inside[kind as "key"];
    else if (part === "query") query.set(name, inside[kind as "key"]);
  }
  const url = path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) =>
    encodeURIComponent(
      inside[name as "key"] ?? (name === "month" ? "2026-01" : "019fbe00-0000-7000-8000-000000000000"),
    ),
  );
  return [method, `${url}?${query.toString()}`, method === "GET" ? undefined : body] as const;
}

/** The feed does not end by itself: the client leaves once the status is there. */
async function watch(url: string, secret: string | null) {
  const headers = secret === null ? {} : { authorization: `Bearer ${secret}` };
  const reply = await admin.app.inject({ method: "GET", url, headers, payloadAsStream: true });
  const first = await reply.stream().take(1).toArray();
  reply.stream().destroy();
  const body = String(first[0] ?? "");
  const message =
    reply.statusCode < 400 ? undefined : (JSON.parse(body) as { error: { message: string } }).error.message;
  return { status: reply.statusCode, message, body };
}

const ask = async (described: Described, team: string, secret: string | null) => {
  const [method, url, body] = requestOf(described, team);
  if (described.operation.operationId === "watchLive") return watch(url, secret);
  const reply = await admin.ask(method, url, body, secret);
  const isError = reply.statusCode >= 400 && reply.headers["content-type"]?.toString().startsWith("application/json");
  const message = isError ? reply.json<{ error?: { message: string } }>().error?.message : undefined;
  return { status: reply.statusCode, message, body: reply.body };
};

test("every operation that asks for a credential has a row in the table, and every row an operation", () => {
  expect(closed.length).toBeGreaterThan(50);
  expect(Object.keys(ACCESS).toSorted()).toEqual(closed.map(({ operation }) => operation.operationId).toSorted());
});

test("the description says of each operation who may do it, as the table does", () => {
  const said = closed.map(({ operation }) => [
    operation.operationId,
    { roles: operation["x-tollgate-roles"], leads: operation["x-tollgate-leads"] },
  ]);

  expect(Object.fromEntries(said)).toEqual(
    Object.fromEntries(
      Object.entries(ACCESS).map(([id, { roles, subtree }]) => [id, { roles, leads: subtree !== null }]),
    ),
  );
});

describe("by role and credential", () => {
  test.each(closed.map((described) => [described.operation.operationId, described] as const))(
    "%s",
    async (id, described) => {
      const { roles, subtree } = ACCESS[id] ?? { roles: [], subtree: null };
      const isAllowed = (role: Role) => roles.includes(role);

      // Those who are refused come first: what is asked for is done in the end.
      for (const secret of [null, tokens["expired"] ?? ""])
        expect(await ask(described, "Search", secret)).toMatchObject({ status: 401 });
      // What everybody may do about themselves is told apart by its handler.
      if (roles === "anyone") return;
      expect(await ask(described, "Search", tokens["nobody"] ?? "")).toMatchObject({ status: 403 });
      for (const role of ROLES.filter((one) => !isAllowed(one)))
        expect(await ask(described, "Search", tokens[role] ?? ""), role).toMatchObject({ status: 403 });

      const other = await ask(described, "Search", tokens["lead of Ads"] ?? "");
      if (subtree === null) expect(other).toMatchObject({ status: 403 });
      else if (subtree === "filtered") {
        expect([200, 404]).toContain(other.status);
        for (const hidden of ["Search", ids["key Search"] ?? ""]) expect(other.body).not.toContain(hidden);
      } else if (Array.isArray(subtree) && subtree.length > 0)
        expect(other).toMatchObject({ status: 404, message: OUTSIDE });

      const lead = await ask(described, "Search", tokens["lead of Search"] ?? "");
      if (subtree === null) expect(lead).toMatchObject({ status: 403 });
      else {
        expect([401, 403]).not.toContain(lead.status);
        expect(lead.message).not.toBe(OUTSIDE);
      }
      for (const role of ROLES.filter(isAllowed))
        expect([401, 403], role).not.toContain((await ask(described, "Search", tokens[role] ?? "")).status);
    },
  );
});

describe("about oneself, everybody may do what is theirs, and nobody what is another's", () => {
  const nobody = () => ids["nobody@acme.example"] ?? "";
  const session = async (email: string) => {
    const parts = { sessions: createSessionStore(database), tokens: createTokenStore(database), nowMs: Date.now };
    const from = { via: "password", address: "127.0.0.1", agent: "", passwordHash: null } as const;
    const { secret } = await createRecognise(parts).openSession(ids[email] ?? "", from);
    return (method: Method, url: string, payload?: object) =>
      admin.app.inject({
        method,
        url: `/admin/v1${url}`,
        headers: { host: "127.0.0.1:8081", origin: "http://127.0.0.1:8081", cookie: `tollgate_session=${secret}` },
        ...(payload && { payload }),
      });
  };
  const PASSWORD = { password: "a phrase that is long enough" };

  test("showSession shows who one is", async () => {
    const reply = await (await session("nobody@acme.example"))("GET", "/session");
    expect([reply.statusCode, reply.json<{ actor: string }>().actor]).toEqual([200, "nobody@acme.example"]);
  });

  test("listTokens shows one's own, whomever one asks for; owners see everybody's", async () => {
    const as = await session("nobody@acme.example");
    const owners = async (url: string) => {
      const { data } = (await as("GET", url)).json<{ data: { person_id: string }[] }>();
      return [...new Set(data.map(({ person_id: id }) => id))];
    };
    for (const url of ["/tokens", `/tokens?person=${ids["owner@acme.example"]}`])
      expect(await owners(url)).toEqual([nobody()]);
    const all = await (await session("owner@acme.example"))("GET", "/tokens");
    expect(all.body).toContain(nobody());
    expect(all.body).toContain(ids["viewer@acme.example"]);
  });

  test("createToken makes one for oneself in a session; not for others, and not by a token", async () => {
    const as = await session("nobody@acme.example");
    const order = { name: "mine", days: 1 };
    expect((await as("POST", "/tokens", order)).statusCode).toBe(201);
    for (const person of ["owner@acme.example", ids["owner@acme.example"]])
      expect((await as("POST", "/tokens", { ...order, person })).statusCode).toBe(403);
    for (const name of ["nobody", "owner"])
      expect((await admin.ask("POST", "/admin/v1/tokens", order, tokens[name] ?? "")).statusCode).toBe(403);
  });

  test("revokeToken ends one's own; another's is not there, unless for owners everywhere", async () => {
    const personId = ids["viewer@acme.example"] ?? "";
    await token(personId);
    const { data } = (await admin.ask("GET", `/admin/v1/tokens?person=${personId}&limit=1`)).json<{
      data: { id: string }[];
    }>();
    const id = data[0]?.id ?? "";
    for (const email of ["nobody@acme.example", "operator@acme.example", "lead-of-search@acme.example"])
      expect((await (await session(email))("DELETE", `/tokens/${id}`)).statusCode, email).toBe(404);
    expect((await (await session("viewer@acme.example"))("DELETE", `/tokens/${id}`)).statusCode).toBe(200);
    const other = await token(personId);
    const listed = (await admin.ask("GET", `/admin/v1/tokens?person=${personId}&limit=1`)).json<{
      data: { id: string }[];
    }>();
    expect((await (await session("owner@acme.example"))("DELETE", `/tokens/${listed.data[0]?.id}`)).statusCode).toBe(
      200,
    );
    expect((await admin.ask("GET", "/admin/v1/session", undefined, other)).statusCode).toBe(401);
  });

  test("setPassword sets one's own in a session; another's needs an owner everywhere", async () => {
    const victim = await person("victim@acme.example", [], ids["Search-below"] ?? null);
    for (const email of ["nobody@acme.example", "operator@acme.example", "lead-of-search@acme.example"])
      expect((await (await session(email))("POST", `/people/${victim}/password`, PASSWORD)).statusCode, email).toBe(
        403,
      );
    for (const name of ["nobody", "owner", "lead of Search"])
      expect(
        (await admin.ask("POST", `/admin/v1/people/${victim}/password`, PASSWORD, tokens[name] ?? "")).statusCode,
      ).toBe(403);
    expect(
      (await (await session("nobody@acme.example"))("POST", `/people/${nobody()}/password`, PASSWORD)).statusCode,
    ).toBe(200);
    const again = await (await session("nobody@acme.example"))("POST", `/people/${nobody()}/password`, PASSWORD);
    expect([again.statusCode, again.json<{ error: { param: string } }>().error.param]).toEqual([400, "current"]);
    expect(
      (await (await session("owner@acme.example"))("POST", `/people/${victim}/password`, PASSWORD)).statusCode,
    ).toBe(200);
  });

  test("listOwnSessions, endOwnSession and endOtherSessions reach one's own sessions alone", async () => {
    const [mine, other] = [await session("nobody@acme.example"), await session("nobody@acme.example")];
    const viewer = await session("viewer@acme.example");
    const listed = async (as: typeof mine) =>
      (await as("GET", "/sessions")).json<{ sessions: { id: string }[]; current: string }>();
    const theirs = (await listed(viewer)).current;
    const { sessions, current } = await listed(mine);

    expect(sessions.map(({ id }) => id)).toEqual(expect.arrayContaining([current, (await listed(other)).current]));
    expect(sessions.map(({ id }) => id)).not.toContain(theirs);
    expect((await mine("DELETE", `/sessions/${theirs}`)).json()).toEqual({ ended: 0 });
    expect((await mine("DELETE", "/sessions")).json()).toEqual({ ended: sessions.length - 1 });
    expect((await listed(mine)).sessions.map(({ id }) => id)).toEqual([current]);
    expect((await other("GET", "/session")).statusCode).toBe(401);
    expect((await mine("DELETE", `/sessions/${current}`)).json()).toEqual({ ended: 1 });
    expect([(await mine("GET", "/session")).statusCode, (await viewer("GET", "/session")).statusCode]).toEqual([
      401, 200,
    ]);
    expect((await admin.ask("GET", "/admin/v1/sessions")).statusCode).toBe(403);
  });

  test("signOut ends this session alone", async () => {
    const [one, two] = [await session("nobody@acme.example"), await session("nobody@acme.example")];
    expect((await one("DELETE", "/session")).statusCode).toBe(200);
    expect([(await one("GET", "/session")).statusCode, (await two("GET", "/session")).statusCode]).toEqual([401, 200]);
  });
});

test("an operation without a row is refused for everybody but the automation token", async () => {
  const { permit } = await import("./caller.ts");
  const by = { actor: "x" };
  const reach = () => "everywhere" as const;

  expect(permit({ by, person: null }, null)).toEqual({ by, person: null });
  expect(() => permit({ by, person: { reach } as never }, null)).toThrow("automation token alone");
});

test("changes that make money or touch everybody are for no lead, and the ledger and the audit for few", () => {
  const never = ["topUpKey", "topUpAccount", "closeAccountPurse", "adoptKey", "verifyLedger", "applyCatalogue"];
  for (const id of [...never, "listProviders", "changePrice"]) expect(ACCESS[id]?.subtree, id).toBeNull();
  for (const [id, { roles }] of Object.entries(ACCESS)) {
    if (roles === "anyone") continue;
    expect(roles, id).toContain("owner");
    const isChange = operations.find(({ operation }) => operation.operationId === id)?.method !== "GET";
    if (isChange) expect(roles, id).not.toContain("viewer");
    if (isChange && id !== "verifyLedger") expect(roles, id).not.toContain("auditor");
  }
});

describe("a lead", () => {
  const asLead = (method: Method, url: string, body?: unknown) =>
    admin.ask(method, url, body, tokens["lead of Ads"] ?? "");

  test.each([
    [
      "moves an account out of the subtree",
      "PATCH",
      "/admin/v1/accounts/Acme%2FAds%2FAds-below",
      { parent: "Acme" },
      404,
    ],
    ["moves an account into it", "PATCH", "/admin/v1/accounts/Acme%2FSearch", { parent: "Acme/Ads" }, 404],
    ["renames the account they lead", "PATCH", "/admin/v1/accounts/Acme%2FAds", { name: "Mine" }, 403],
    ["creates a root", "POST", "/admin/v1/accounts", { name: "Root", kind: "team" }, 403],
    ["creates a key without an account", "POST", "/admin/v1/keys", { mode: "credit" }, 403],
    ["creates a key elsewhere", "POST", "/admin/v1/keys", { mode: "credit", account: "Acme/Search" }, 404],
    ["creates a key with credit", "POST", "/admin/v1/keys", { mode: "credit", account: "Acme/Ads", credit: "1" }, 403],
    [
      "raises their own limit",
      "POST",
      "/admin/v1/accounts/Acme%2FAds/limits",
      { unit: "credit", amount: "9", period: "month" },
      403,
    ],
    [
      "adds a person whose password they know",
      "POST",
      "/admin/v1/people",
      { email: "puppet@acme.example", account: "Acme/Ads", password: "a phrase that is long enough" },
      403,
    ],
    [
      "renames a person to an address that is another's",
      "PATCH",
      "/admin/v1/people/member-of-ads@acme.example",
      { email: "boss@acme.example" },
      403,
    ],
    ["asks for the account above", "GET", "/admin/v1/accounts/Acme", undefined, 404],
    ["asks for what is nowhere", "GET", "/admin/v1/accounts/Acme%2FNowhere", undefined, 404],
  ] as const)("%s: refused", async (_what, method, url, body, status) => {
    const reply = await asLead(method, url, body);

    expect([reply.statusCode, reply.body.includes("Search")]).toEqual([status, false]);
  });

  test("changes the name and the account of a person of theirs, and nothing that they sign in with", async () => {
    const example = { name: "Cleo", account: "Acme/Ads/Ads-below", email: "cleo@acme.example" };
    const fields = Object.keys(personChange.shape);
    const member = `/admin/v1/people/${ids["member-of-ads@acme.example"]}`;

    const may = await Promise.all(
      fields.map(async (field) => {
        const body = { [field]: example[field as "name"] };
        return [field, (await asLead("PATCH", member, body)).statusCode];
      }),
    );
    expect(Object.fromEntries(may)).toEqual({ name: 200, account: 200, email: 403 });
  });

  test("names things by path or by id alike, and finds their own", async () => {
    for (const name of ["Acme%2FAds", "acme%2Fads", ids["Ads"] ?? ""])
      expect((await asLead("GET", `/admin/v1/accounts/${name}`)).statusCode, name).toBe(200);
    const created = await asLead("POST", "/admin/v1/keys", { mode: "credit", account: "Acme/Ads" });
    expect(created.statusCode).toBe(201);
  });

  test("does not see the limits above them in the funds of a key", async () => {
    await admin.ask("POST", "/admin/v1/accounts/Acme/limits", { unit: "credit", amount: "77", period: "month" });
    const { prefix } = (await asLead("POST", "/admin/v1/keys", { mode: "credit", account: "Acme/Ads" })).json<{
      key: { prefix: string };
    }>().key;
    const holders = async (secret?: string) =>
      (await admin.ask("GET", `/admin/v1/keys/${prefix}/funds`, undefined, secret))
        .json<{ counters: { holder: string }[] }>()
        .counters.map(({ holder }) => holder);

    expect(await holders()).toContain("Acme");
    expect(await holders(tokens["lead of Ads"])).not.toContain("Acme");
  });

  test("whose grant is taken away is refused with the next request of the same session", async () => {
    const people = createPeopleStore(database);
    const id = await person("brief@acme.example", [{ role: "viewer", accountId: ids["Ads"] ?? null }]);
    const secret = await token(id);
    const status = async () => (await admin.ask("GET", "/admin/v1/keys", undefined, secret)).statusCode;

    expect(await status()).toBe(200);
    await people.setGrants(id, [], "given");
    expect(await status()).toBe(403);
    await people.remove(id, Date.now());
    expect(await status()).toBe(401);
  });
});

test("a token narrowed to a role or an account does no more than that, whatever its person may do", async () => {
  const owner = ids["owner@acme.example"] ?? "";
  const viewer = await token(owner, { role: "viewer" });
  const inAds = await token(owner, { accountId: ids["Ads"] ?? "" });

  expect((await admin.ask("GET", "/admin/v1/keys", undefined, viewer)).statusCode).toBe(200);
  const body = { mode: "credit", account: "Acme/Ads" };
  expect((await admin.ask("POST", "/admin/v1/keys", body, viewer)).statusCode).toBe(403);
  expect((await admin.ask("POST", "/admin/v1/keys", body, inAds)).statusCode).toBe(201);
  expect((await admin.ask("GET", "/admin/v1/accounts/Acme%2FSearch", undefined, inAds)).statusCode).toBe(404);
});

describe("a session's cookie", () => {
  const open = async (nowMs = () => Date.now()) => {
    const parts = { sessions: createSessionStore(database), tokens: createTokenStore(database), nowMs };
    const from = { via: "password", address: "127.0.0.1", agent: "", passwordHash: null } as const;
    return (await createRecognise(parts).openSession(ids["owner@acme.example"] ?? "", from)).secret;
  };
  const send = (secret: string, headers: Record<string, string>, method: "GET" | "POST" = "POST") =>
    admin.app.inject({
      method,
      url: "/admin/v1/accounts",
      headers: {
        host: "127.0.0.1:8081",
        cookie: `other=1; tollgate_session=${secret}`,
        ...headers,
      },
      ...(method === "POST"
        ? {
            payload: {
              name: `account ${made++}`,
              kind: "team",
            },
          }
        : {}),
    });

  test.each([
    ["with the listener's own origin", { origin: "http://127.0.0.1:8081" }, 201],
    ["without an origin", {}, 403],
    ["from another page", { origin: "https://evil.example" }, 403],
    ["from a sandboxed page", { origin: "null" }, 403],
    ["from another port", { origin: "http://127.0.0.1:8080" }, 403],
  ] as const)("changes something %s: %o gives %i", async (_what, headers, status) => {
    expect((await send(await open(), headers)).statusCode).toBe(status);
  });

  test("reads without an origin, and nothing once it expired", async () => {
    expect((await send(await open(), {}, "GET")).statusCode).toBe(200);
    expect((await send(await open(() => Date.now() - SESSION_IDLE_MS), {}, "GET")).statusCode).toBe(401);
  });

  test("behind https counts under the name that is bound to the host alone", async () => {
    const secure = buildAdmin(database, { publicUrl: "https://tollgate.example.com" });
    const secret = await open();
    const get = (cookie: string) =>
      secure.app.inject({ method: "GET", url: "/admin/v1/accounts", headers: { cookie } });

    expect((await get(`tollgate_session=${secret}`)).statusCode).toBe(401);
    expect((await get(`__Host-tollgate_session=${secret}`)).statusCode).toBe(200);
    await secure.app.close();
  });
});
