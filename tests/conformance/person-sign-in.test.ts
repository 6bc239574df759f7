import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { CHAT, modelFor } from "../contract/operations.ts";
import { operate } from "../contract/operator.ts";
import { type GatewayProcess, rememberSecrets } from "../support/gateway-process.ts";
import { type Browser, openBrowser, type Page } from "../support/oidc/browser.ts";
import { openDeviceClient } from "../support/oidc/device-client.ts";
import { type SignInGateway, startSignInGateway } from "../support/oidc/sign-in-gateway.ts";
import type { OidcServer } from "../support/oidc/start-oidc.ts";
import { until } from "../support/until.ts";

const GROUPS = `
  search -> member of Acme/Search with 50 per month
  viewers -> viewer
`;

let stage: SignInGateway;
let oidc: OidcServer;
let gateway: GatewayProcess;
beforeAll(async () => {
  stage = await startSignInGateway({
    groups: GROUPS,
    models: { chat: modelFor(CHAT, "sim") },
    settings: { TOLLGATE_LISTEN_TRUSTED_PROXIES: "127.0.0.1", TOLLGATE_RECORDS_FLUSH_MS: "100" },
  });
  ({ oidc, gateway } = stage);
});
afterAll(() => stage?.stop());
afterEach(() => oidc.fail(null));

const join = (login: string, ...groups: string[]): void => stage.join(login, ...groups);

const begin = (returnTo?: string): string =>
  `${gateway.publicUrl}/me/sign-in/oidc${returnTo === undefined ? "" : `?return_to=${encodeURIComponent(returnTo)}`}`;

/** A browser in which somebody signed in on the page of the provider, as far as `stop`. */
async function signIn(login: string, options: { browser?: Browser; returnTo?: string; stop?: RegExp } = {}) {
  const { browser = openBrowser(), returnTo, stop } = options;
  const form = await browser.visit(begin(returnTo));
  const page = await browser.submit(form, { login, password: "any" }, stop ? { until: stop } : {});
  rememberSecrets([...browser.cookies.values()]);
  return { browser, page };
}

const CALLBACK = /\/oauth\/callback\?/;

const named = ({ cookies }: Browser, name: string): string | undefined =>
  [...cookies].find(([key]) => key.endsWith(` ${name}`))?.[1];

const ask = (browser: Browser, path: string, method: "GET" | "DELETE" = "GET"): Promise<Response> =>
  fetch(`${gateway.publicUrl}${path}`, {
    method,
    headers: { cookie: `tollgate_key=${named(browser, "tollgate_key") ?? ""}`, origin: gateway.publicUrl },
  });

type Session = { id: string; client: string; is_current: boolean; created_at: string; expires_at: string };
const sessionsOf = async (browser: Browser): Promise<Session[]> =>
  ((await (await ask(browser, "/me/sessions")).json()) as { data: Session[] }).data;

const client = (login: string): Promise<string> => stage.signInClient(login);

const generate = (token: string): Promise<Response> =>
  fetch(`${gateway.publicUrl}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "chat", max_tokens: 16, messages: [{ role: "user", content: "hello" }] }),
  });

describe("a person without a key", () => {
  test("signs in through the identity provider, comes back where they began, and sees their account, limits and sessions", async () => {
    join("ann", "search");
    const token = await client("ann");
    expect(await (await fetch(`${gateway.publicUrl}/me/sign-in`)).json()).toEqual({ object: "ways_in", sso: true });

    const { browser, page } = await signIn("ann", { returnTo: "/console/sessions?find=x" });

    expect(page.url).toBe(`${gateway.publicUrl}/console/sessions?find=x`);
    expect(await (await ask(browser, "/me")).json()).toMatchObject({
      person: { email: "ann@acme.example", name: "ann", account: "Acme/Search/ann@acme.example" },
      limits: expect.arrayContaining([
        expect.objectContaining({ account: "ann@acme.example", amount: "50" }),
      ]) as unknown,
    });
    const sessions = await sessionsOf(browser);
    expect(sessions.map(({ client: name, is_current: isCurrent }) => [name, isCurrent])).toEqual([
      ["Browser", true],
      ["Claude Code 2.1.325", false],
    ]);
    const [own] = sessions;
    expect(Date.parse(own?.expires_at ?? "") - Date.parse(own?.created_at ?? "")).toBe(12 * 3_600_000);
    expect((await generate(token)).status).toBe(200);
  });

  test("sees what all their clients did, and nothing of anybody else", async () => {
    join("bea", "search");
    join("cem", "search");
    expect((await generate(await client("cem"))).status).toBe(200);
    const { browser } = await signIn("bea");
    const done = await generate(await client("bea"));
    const requestId = done.headers.get("x-request-id") ?? "";

    type Listed = { data: { request_id: string }[] };
    const listed = async (): Promise<string[]> =>
      ((await (await ask(browser, "/me/requests")).json()) as Listed).data.map(({ request_id: id }) => id);
    await until(async () => (await listed()).length > 0, "the record is written");

    expect(await listed()).toEqual([requestId]);
    expect((await ask(browser, `/me/requests/${requestId}`)).status).toBe(200);
    type Series = { total: { requests: number } };
    const counted = async (): Promise<number> =>
      ((await (await ask(browser, "/me/series")).json()) as Series).total.requests;
    await until(async () => (await counted()) > 0, "it is counted");
    expect(await counted()).toBe(1);
    const { browser: others } = await signIn("cem");
    expect((await ask(others, `/me/requests/${requestId}`)).status).toBe(404);
  });

  test("ends one client or all others, and the next request of each is rejected", async () => {
    join("dan", "search");
    const tokens = [await client("dan"), await client("dan"), await client("dan")];
    const { browser } = await signIn("dan");
    const clients = (await sessionsOf(browser)).filter(({ is_current: isCurrent }) => !isCurrent);

    const one = await ask(browser, `/me/sessions/${clients[0]?.id ?? ""}`, "DELETE");
    expect(await one.json()).toEqual({ ended: 1 });
    expect(await (await ask(browser, "/me/sessions", "DELETE")).json()).toEqual({ ended: 2 });

    for (const token of tokens) expect((await generate(token)).status).toBe(401);
    expect((await sessionsOf(browser)).map(({ is_current: isCurrent }) => isCurrent)).toEqual([true]);
  });

  test("signs out of the browser, whose session ends while their clients go on", async () => {
    join("eva", "search");
    const token = await client("eva");
    const { browser } = await signIn("eva");
    const { browser: other } = await signIn("eva");

    expect((await ask(browser, "/me/session", "DELETE")).status).toBe(204);

    expect((await ask(browser, "/me")).status).toBe(401);
    expect((await sessionsOf(other)).map(({ client: name }) => name)).toEqual(["Browser", "Claude Code 2.1.325"]);
    expect((await generate(token)).status).toBe(200);
  });

  test("is in the audit log", async () => {
    join("fay", "search");
    await signIn("fay");

    const { data } = await operate<{ data: unknown[] }>(gateway, "GET /audit?actor=fay%40acme.example");
    expect(data).toEqual(
      expect.arrayContaining([expect.objectContaining({ action: "client_session.begin", actor: "fay@acme.example" })]),
    );
  });
});

describe("nobody gets in", () => {
  test("by a state that was used, or that another browser began with", async () => {
    join("gus", "search");
    const { browser, page } = await signIn("gus", { stop: CALLBACK });
    const callback = page.next ?? "";

    const stranger = await openBrowser().visit(callback);
    expect(stranger.status).toBe(400);
    expect(stranger.body).toContain("not begun in this browser");
    const first = await browser.visit(callback);
    expect(first.status).toBe(200);
    rememberSecrets([...browser.cookies.values()]);
    browser.cookies.set("127.0.0.1/ tollgate_person", new URL(callback).searchParams.get("state") ?? "");
    const again: Page = await browser.visit(callback);
    expect([again.status, again.headers.getSetCookie()]).toEqual([400, []]);
  });

  test("by a session that was planted before: each sign-in has a new one", async () => {
    join("hal", "search");
    const browser = openBrowser();
    const planted = `tgs_000${"0".repeat(64)}`;
    browser.cookies.set("127.0.0.1/ tollgate_key", planted);

    await signIn("hal", { browser });

    const token = named(browser, "tollgate_key");
    expect(token).toMatch(/^tgs_[0-9a-f]{67}$/);
    expect(token).not.toBe(planted);
    expect(named(browser, "tollgate_person")).toBeUndefined();
  });

  test.each(["https://evil.example/", "//evil.example", "/me", "/consoles", "/console\\@evil.example"])(
    "and is sent to %s afterwards",
    async (returnTo) => {
      const page = await openBrowser().visit(begin(returnTo));

      expect([page.status, page.next]).toEqual([400, null]);
      expect(page.body).toContain("return_to");
    },
  );

  test("who has no account, and they are told whom to ask", async () => {
    join("ida", "viewers");
    const { browser, page } = await signIn("ida");

    expect(page.status).toBe(403);
    expect(page.body).toContain("You have no account here to pay from");
    expect(page.body).toContain('href="/console"');
    expect(named(browser, "tollgate_key")).toBeUndefined();
  });

  test("whose account is suspended", async () => {
    join("jon", "search");
    await signIn("jon");
    await operate(gateway, `POST /accounts/${encodeURIComponent("Acme/Search/jon@acme.example")}/suspend`);

    const { page } = await signIn("jon");

    expect([page.status, page.body]).toEqual([403, expect.stringContaining("Your account is suspended")]);
  });

  test("while the provider is down, and they are told so", async () => {
    join("lea", "search");
    const { browser, page } = await signIn("lea", { stop: CALLBACK });
    oidc.fail("reset");

    const back = await browser.visit(page.next ?? "");

    expect([back.status, back.body]).toEqual([503, expect.stringContaining("could not be completed")]);
    expect(named(browser, "tollgate_key")).toBeUndefined();
  });

  test("by approving a client: a sign-in that began for one asks, and the other does not", async () => {
    join("kim", "search");
    const device = openDeviceClient(gateway.publicUrl);
    const started = await device.start();

    await signIn("kim");

    expect(await device.poll(started)).toMatchObject({ body: { error: "authorization_pending" } });
  });

  test("more often than sixty times a minute from one address", async () => {
    const from = (address: string): Promise<Response> =>
      fetch(begin(), { redirect: "manual", headers: { "x-forwarded-for": address } });
    const statuses = new Set<number>();
    for (let nth = 0; nth < 60; nth++) statuses.add((await from("198.51.100.7")).status);

    expect([...statuses]).toEqual([303]);
    expect((await from("198.51.100.7")).status).toBe(429);
    expect((await from("198.51.100.8")).status).toBe(303);
  });
});
