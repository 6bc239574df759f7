import { once } from "node:events";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { openStream, readAll } from "../contract/open-stream.ts";
import { CHAT, modelFor } from "../contract/operations.ts";
import { issueKey, operate } from "../contract/operator.ts";
import { type GatewayProcess, rememberSecrets, startGatewayProcess } from "../support/gateway-process.ts";
import { type Browser, openBrowser, type Page, signIn } from "../support/oidc/browser.ts";
import { type OidcServer, signInSettings, startOidc } from "../support/oidc/start-oidc.ts";
import { until } from "../support/until.ts";

const CALLBACK = "/admin/v1/sign-in/oidc/callback";
const SESSION = "127.0.0.1/ tollgate_session";
const GROUPS = `
  admins -> owner
  viewers -> viewer
  search -> member of Acme/Search with 50 per month
  ads -> member of Acme/Ads with 20 per month
  search-leads -> operator at Acme/Search
  ghosts -> member of Acme/Nowhere, viewer
`;

let oidc: OidcServer;
let gateway: GatewayProcess;
beforeAll(async () => {
  oidc = await startOidc();
  rememberSecrets([oidc.clientSecret]);
  gateway = await startGatewayProcess({
    models: { chat: modelFor(CHAT, "sim+tokens=100000+rate=50") },
    settings: { ...signInSettings(oidc, GROUPS), TOLLGATE_SIGN_IN_REFRESH_EVERY_MS: "1000" },
  });
  oidc.allowRedirect(`${gateway.adminUrl}${CALLBACK}`);
  for (const [name, kind] of [
    ["Acme", "organisation"],
    ["Acme/Search", "team"],
    ["Acme/Ads", "team"],
  ] as const) {
    const parent = name.includes("/") ? "Acme" : undefined;
    await operate(gateway, "POST /accounts", { name: name.split("/").at(-1), kind, ...(parent && { parent }) });
  }
  await operate(gateway, "POST /accounts/Acme/topups", { amount: "100", reference: "first" });
});
afterAll(async () => {
  // They must be in no line of the log, which a test of the whole run looks at.
  rememberSecrets(oidc.issued);
  await gateway.stop();
  await oidc.close();
});
afterEach(() => {
  oidc.fail(null);
  oidc.tamper(null);
});

type Account = {
  id: string;
  title: string;
  status: string;
  counters: { kind: string; amount: string; period: string }[];
};
const accountOf = async (path: string): Promise<Account> =>
  (await operate<{ account: Account }>(gateway, `GET /accounts/${encodeURIComponent(path)}`)).account;
const accountIn = (team: string, login: string): Promise<Account> => accountOf(`Acme/${team}/${login}@acme.example`);

const join = (login: string, ...groups: string[]): void =>
  void oidc.users.set(login, { email: `${login}@acme.example`, name: login, groups });

/** A browser with somebody signed in. */
async function signedIn(login: string): Promise<{ browser: Browser; page: Page }> {
  const browser = openBrowser();
  const page = await signIn(browser, { adminUrl: gateway.adminUrl, login, returnTo: "/docs" });
  rememberSecrets([...browser.cookies.values()]);
  return { browser, page };
}

const statusOf = async (browser: Browser, path: string): Promise<number> =>
  (await browser.visit(`${gateway.adminUrl}/admin/v1${path}`)).status;
const isIn = async (browser: Browser): Promise<boolean> => (await statusOf(browser, "/accounts")) !== 401;

const passwordSignIn = (email: string, password: string): Promise<Response> =>
  fetch(`${gateway.adminUrl}/admin/v1/session`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email, password }),
  });

/** As far as the provider sends the browser back. */
async function cameBack(login: string): Promise<{ browser: Browser; callback: string }> {
  const browser = openBrowser();
  const page = await signIn(browser, { adminUrl: gateway.adminUrl, login, until: /\/callback\?/ });
  return { browser, callback: page.next ?? "" };
}

describe("the first sign-in", () => {
  test("makes the person's account in their team with its limit, and goes where it began", async () => {
    join("ann", "search", "viewers");
    const { browser, page } = await signedIn("ann");
    const account = await accountIn("Search", "ann");

    expect(page).toMatchObject({ status: 200, url: `${gateway.adminUrl}/docs` });
    expect(account.status).toBe("active");
    expect(account.counters).toEqual([expect.objectContaining({ kind: "limit", amount: "50", period: "month" })]);
    expect(await statusOf(browser, "/accounts")).toBe(200);
    expect(await statusOf(browser, "/nowhere")).toBe(404);
  });

  test("made by five browsers at once makes one person with one account", async () => {
    join("twins", "search", "viewers");
    const browsers = await Promise.all(Array.from({ length: 5 }, () => signedIn("twins")));

    expect(browsers.map(({ page }) => page.status)).toEqual([200, 200, 200, 200, 200]);
    expect(await accountIn("Search", "twins")).toMatchObject({ status: "active" });
    const everywhere = await Promise.all(browsers.map(({ browser }) => isIn(browser)));
    expect(everywhere).toEqual([true, true, true, true, true]);
  });

  test("takes an account that was made for the person before, with the limit an operator gave it elsewhere", async () => {
    await operate(gateway, "POST /accounts", { name: "early@acme.example", kind: "person", parent: "Acme/Search" });
    const before = await accountIn("Search", "early");
    join("early", "search");
    await signedIn("early");

    expect(await accountIn("Search", "early")).toMatchObject({ id: before.id, counters: [{ amount: "50" }] });
  });

  test("takes no account and no address by a claim that the provider does not say it verified", async () => {
    await operate(gateway, "POST /accounts", { name: "cfo@acme.example", kind: "person", parent: "Acme/Search" });
    oidc.users.set("mallory", { email: "cfo@acme.example", groups: ["search", "viewers"], emailVerified: null });
    const { browser } = await signedIn("mallory");
    join("frank", "search", "viewers");
    await signedIn("frank");
    oidc.users.set("frank", { email: "ceo@acme.example", groups: ["search", "viewers"], emailVerified: null });
    const renamed = await signedIn("frank");

    const session = async (of: Browser) => (await of.visit(`${gateway.adminUrl}/admin/v1/session`)).body;
    expect(JSON.parse(await session(browser))).toMatchObject({ person: { email: "cfo@acme.example", account: null } });
    expect(JSON.parse(await session(renamed.browser))).toMatchObject({ actor: "frank@acme.example" });
  });

  test("succeeds where the mapped account is missing; the log says so", async () => {
    join("ghost", "ghosts");
    const { browser } = await signedIn("ghost");

    expect(await statusOf(browser, "/accounts")).toBe(200);
    expect((await gateway.tollgate("accounts", "list")).stdout).not.toContain("ghost");
  });

  test("is refused to somebody in no group that may sign in, and to an address that is not verified", async () => {
    join("stranger", "somewhere-else");
    oidc.users.set("unsure", { email: "unsure@acme.example", groups: ["viewers"], emailVerified: false });
    for (const login of ["stranger", "unsure"]) {
      const { browser, page } = await signedIn(login);

      expect({ login, status: page.status }).toEqual({ login, status: 403 });
      expect(browser.cookies.has(SESSION)).toBe(false);
    }
  });
});

describe("nobody gets in", () => {
  test("with what somebody else set for them before their first sign-in; the audit log tells that it ended", async () => {
    const password = "a phrase that the lead knows";
    const lead = { email: "lead@acme.example", password, grants: [{ role: "owner", account: "Acme/Search" }] };
    await operate(gateway, "POST /people", lead);
    const cookieOf = async (email: string): Promise<string> => {
      const response = await passwordSignIn(email, password);
      const cookie = /^[^;]+/.exec(response.headers.get("set-cookie") ?? "")?.[0] ?? "";
      rememberSecrets([cookie.split("=")[1] ?? ""]);
      return cookie;
    };
    const headers = {
      cookie: await cookieOf(lead.email),
      origin: gateway.adminUrl,
      "content-type": "application/json",
    };
    const planted = { email: "chief@acme.example", account: "Acme/Search", grants: [], password };
    const body = JSON.stringify(planted);
    const refused = await fetch(`${gateway.adminUrl}/admin/v1/people`, { method: "POST", headers, body });
    await operate(gateway, "POST /people", planted);
    const stolen = openBrowser();
    stolen.cookies.set(SESSION, (await cookieOf(planted.email)).split("=")[1] ?? "");
    expect([refused.status, await isIn(stolen)]).toEqual([403, true]);

    join("chief", "admins");
    const { browser } = await signedIn("chief");

    expect(await statusOf(browser, "/people")).toBe(200);
    expect(await isIn(stolen)).toBe(false);
    expect((await passwordSignIn(planted.email, password)).status).toBe(401);
    const { data } = await operate<{ data: object[] }>(gateway, "GET /audit?resource=chief@acme.example");
    expect(data).toContainEqual(
      expect.objectContaining({
        action: "person.link",
        actor: "chief@acme.example",
        via: "sso",
        asked: {
          reason: "first sign-in through the identity provider; their password, sessions and personal tokens ended",
        },
      }),
    );
  });

  test("as a person whom a lead gave the address of somebody else", async () => {
    join("member", "search");
    await signedIn("member");
    await operate(gateway, "PATCH /people/member@acme.example", { email: "boss@acme.example" });
    join("boss", "admins");
    const { browser, page } = await signedIn("boss");

    expect(page.status).toBe(403);
    expect(page.body).toContain("An owner can remove that person or change their email.");
    expect(browser.cookies.has(SESSION)).toBe(false);
  });

  test("by a state that was used, or that another browser began with", async () => {
    join("bob", "viewers");
    const { browser, callback } = await cameBack("bob");
    const stolen = await openBrowser().visit(callback);
    const kept = new Map(browser.cookies);
    const first = await browser.visit(callback, { until: /session/ });
    const replayed = openBrowser();
    for (const [name, value] of kept) replayed.cookies.set(name, value);
    const second = await replayed.visit(callback);

    expect([stolen.status, first.status, second.status]).toEqual([400, 303, 400]);
    expect(replayed.cookies.has(SESSION)).toBe(false);
  });

  test.each([
    ["nonce", { nonce: "another" }],
    ["issuer", { iss: "https://evil.example" }],
    ["audience", { aud: "another-client" }],
  ])("by an ID token with a wrong %s", async (_what, wrong) => {
    join("bob", "viewers");
    const { browser, callback } = await cameBack("bob");
    oidc.tamper((claims) => ({ ...claims, ...wrong }));
    const page = await browser.visit(callback);

    expect(page.status).toBe(503);
    expect(browser.cookies.has(SESSION)).toBe(false);
  });

  test("by a session id that was planted before: each sign-in has a new one", async () => {
    join("bob", "viewers");
    const planted = "A".repeat(43);
    const victim = openBrowser();
    victim.cookies.set(SESSION, planted);
    await signIn(victim, { adminUrl: gateway.adminUrl, login: "bob" });
    const first = victim.cookies.get(SESSION);
    await signIn(victim, { adminUrl: gateway.adminUrl, login: "bob" }).catch(() => undefined);
    const attacker = openBrowser();
    attacker.cookies.set(SESSION, planted);

    expect(await isIn(victim)).toBe(true);
    expect(first).not.toBe(planted);
    expect(await isIn(attacker)).toBe(false);
  });

  test.each([
    "https://evil.example",
    "//evil.example",
    "/\\evil.example",
    "\\/evil.example",
    "/\t/evil.example",
    "javascript:alert(1)",
    "docs",
    "/docs\r\nset-cookie: a=b",
    `/${"x".repeat(1_001)}`,
  ])("sent elsewhere by a link to a sign-in: %j", async (returnTo) => {
    const query = new URLSearchParams({ return_to: returnTo }).toString();
    const page = await openBrowser().visit(`${gateway.adminUrl}/admin/v1/sign-in/oidc?${query}`, { until: /./ });

    expect({ status: page.status, next: page.next }).toEqual({ status: 400, next: null });
  });
});

test("whoever comes back and is not let in stands in the audit log, with the reason and who it is where that is known", async () => {
  join("hugo", "viewers");
  join("ines", "viewers");
  await signedIn("ines");
  await operate(gateway, "DELETE /people/ines@acme.example");
  join("jo", "somewhere-else");
  for (const wrong of [{ nonce: "another" }, { iss: "https://evil.example" }]) {
    const { browser, callback } = await cameBack("hugo");
    oidc.tamper((claims) => ({ ...claims, ...wrong }));
    await browser.visit(callback);
    oidc.tamper(null);
  }
  await openBrowser().visit((await cameBack("hugo")).callback);
  const { browser: denied, callback } = await cameBack("hugo");
  const { searchParams } = new URL(callback);
  const back = new URLSearchParams({
    error: "access_denied",
    state: searchParams.get("state") ?? "",
    iss: oidc.issuer,
  });
  await denied.visit(`${gateway.adminUrl}${CALLBACK}?${back.toString()}`);
  for (const login of ["ines", "jo"]) await signedIn(login);

  type Refused = {
    actor: string;
    code: string;
    outcome: string;
    asked: { reason: string } | null;
    resource: { id: string };
  };
  const refused = async (): Promise<Refused[]> =>
    (await operate<{ data: Refused[] }>(gateway, "GET /audit?action=door.refused&limit=200")).data.filter(
      ({ resource }) => resource.id === `GET ${CALLBACK}`,
    );
  const wanted = [
    ["anonymous", "invalid_request", "not begun in this browser, used already or too old"],
    ["anonymous", "invalid_credentials", "refused by the provider"],
    ["anonymous", "service_unavailable", expect.stringMatching(/claim nonce/) as string],
    ["anonymous", "service_unavailable", expect.stringMatching(/claim iss/) as string],
    ["ines@acme.example", "forbidden", "the person was removed here"],
    ["jo@acme.example", "forbidden", "in no group of sign_in.groups"],
  ];
  const shown = async () => (await refused()).map(({ actor, code, asked }) => [actor, code, asked?.reason]);
  await until(async () => (await shown()).some(([actor]) => actor === "jo@acme.example"), "they are written");

  const found = await shown();
  for (const one of wanted) expect(found).toContainEqual(one);
  expect((await refused()).every(({ outcome, asked }) => outcome === "refused" && asked !== null)).toBe(true);
});

describe("a group change takes effect at the next check", () => {
  test("for roles, up and down, without another sign-in", async () => {
    join("cleo", "viewers");
    const { browser } = await signedIn("cleo");
    const mayCreate = async (): Promise<boolean> => {
      const cookie = `tollgate_session=${browser.cookies.get(SESSION)}`;
      const headers = { cookie, origin: gateway.adminUrl, "content-type": "application/json" };
      const url = `${gateway.adminUrl}/admin/v1/keys`;
      return (await fetch(url, { method: "POST", headers, body: "{}" })).status !== 403;
    };
    expect(await mayCreate()).toBe(false);
    join("cleo", "admins");
    await until(mayCreate, "she is an owner");
    join("cleo", "viewers");
    await until(async () => !(await mayCreate()), "she is an owner no more");

    expect(await isIn(browser)).toBe(true);
  });

  test("for the team: the account moves with its keys, and its limit follows", async () => {
    join("dora", "search");
    await signedIn("dora");
    const { id } = await accountIn("Search", "dora");
    join("dora", "ads");
    const limit = (): Promise<string | undefined> =>
      accountIn("Ads", "dora").then(
        ({ counters }) => counters[0]?.amount,
        () => undefined,
      );
    await until(async () => (await limit()) === "20", "she is in the other team, with its limit");

    expect(await accountIn("Ads", "dora")).toMatchObject({ id, counters: [{ amount: "20" }] });
  });
});

test("a provider that is down refuses nobody", async () => {
  join("erik", "viewers");
  const { browser } = await signedIn("erik");
  oidc.fail("reset");
  const asked = oidc.asked("/.well-known/openid-configuration") + oidc.asked("/token");
  const isAsked = (): boolean => oidc.asked("/.well-known/openid-configuration") + oidc.asked("/token") > asked + 2;
  await until(isAsked, "it is asked in vain");

  expect(await isIn(browser)).toBe(true);
  expect((await openBrowser().visit(`${gateway.adminUrl}/admin/v1/sign-in/oidc`)).status).toBe(503);
});

test("whoever the provider refuses is out at once, their running stream is cut, and they can come back", async () => {
  join("finn", "search", "viewers");
  const { browser } = await signedIn("finn");
  const account = await accountIn("Search", "finn");
  const key = await issueKey(gateway, { account: account.id });
  const stream = await openStream(CHAT, { gateway, key: key.secret, fields: { model: "chat" } });
  const first = once(stream, "data");
  const reading = readAll(stream);
  await first;
  const models = async (): Promise<number> =>
    (await fetch(`${gateway.publicUrl}/v1/models`, { headers: { authorization: `Bearer ${key.secret}` } })).status;
  expect(await models()).toBe(200);
  oidc.users.delete("finn");
  const leftMs = Date.now();
  const { text } = await reading;
  const cutMs = Date.now() - leftMs;

  expect(text).toContain("while the request was in progress");
  expect(cutMs).toBeLessThan(60_000);
  expect(await models()).toBe(401);
  expect(await isIn(browser)).toBe(false);
  expect(await accountIn("Search", "finn")).toMatchObject({ status: "suspended" });

  join("finn", "search", "viewers");
  const { browser: again } = await signedIn("finn");
  expect(await isIn(again)).toBe(true);
  expect(await accountIn("Search", "finn")).toMatchObject({ id: account.id, status: "active" });
  await until(async () => (await models()) === 200, "the key works again");
});

test("whoever an operator removes is out at once, their running stream is cut, and SSO does not bring them back", async () => {
  join("gwen", "search", "viewers");
  const { browser } = await signedIn("gwen");
  const key = await issueKey(gateway, { account: (await accountIn("Search", "gwen")).id });
  const stream = await openStream(CHAT, { gateway, key: key.secret, fields: { model: "chat" } });
  const first = once(stream, "data");
  const reading = readAll(stream);
  await first;
  await operate(gateway, "DELETE /people/gwen@acme.example");
  const { text } = await reading;
  const again = await signedIn("gwen");

  expect(text).toContain("while the request was in progress");
  expect(await isIn(browser)).toBe(false);
  expect(await accountIn("Search", "gwen")).toMatchObject({ status: "suspended" });
  expect(again.page.status).toBe(403);
});
