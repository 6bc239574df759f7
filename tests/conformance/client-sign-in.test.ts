import { randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { CHAT, MESSAGE, modelFor } from "../contract/operations.ts";
import { operate } from "../contract/operator.ts";
import type { GatewayProcess } from "../support/gateway-process.ts";
import { openBrowser } from "../support/oidc/browser.ts";
import { approve, type DeviceAnswer, openDeviceClient, signInWithCode } from "../support/oidc/device-client.ts";
import { type SignInGateway, startSignInGateway } from "../support/oidc/sign-in-gateway.ts";
import type { OidcServer } from "../support/oidc/start-oidc.ts";

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
    models: { chat: modelFor(CHAT, "sim"), messages: modelFor(MESSAGE, "sim") },
    settings: { TOLLGATE_LISTEN_TRUSTED_PROXIES: "127.0.0.1", TOLLGATE_KEYS_UNKNOWN_PER_MINUTE: "100" },
  });
  ({ oidc, gateway } = stage);
});
afterAll(() => stage?.stop());
afterEach(() => {
  oidc.fail(null);
  oidc.tamper(null);
});

const join = (login: string, ...groups: string[]): void => stage.join(login, ...groups);
const client = (address?: string) => openDeviceClient(gateway.publicUrl, address === undefined ? {} : { address });

const generate = (token: unknown): Promise<Response> => stage.sendMessage(token, { max_tokens: 16 });

describe("a client without a browser", () => {
  test("finds the endpoints of its own origin", async () => {
    const found = await fetch(`${gateway.publicUrl}/.well-known/oauth-authorization-server`);
    const base = gateway.publicUrl;

    expect(await found.json()).toEqual({
      issuer: base,
      device_authorization_endpoint: `${base}/oauth/device_authorization`,
      token_endpoint: `${base}/oauth/token`,
      revocation_endpoint: `${base}/oauth/revoke`,
      response_types_supported: [],
      grant_types_supported: ["urn:ietf:params:oauth:grant-type:device_code", "refresh_token"],
      token_endpoint_auth_methods_supported: ["none"],
      revocation_endpoint_auth_methods_supported: ["none"],
      scopes_supported: ["openid", "profile", "email"],
      gateway_protocol_version: 1,
    });
  });

  test("gets a session when its person approves, refreshes it, and revokes it", async () => {
    join("ann", "search");
    const device = client();
    const answer = await device.post("/oauth/device_authorization", { surface: "claude_code", unknown: "ignored" });
    const started = {
      deviceCode: String(answer.body["device_code"]),
      userCode: String(answer.body["user_code"]),
      page: String(answer.body["verification_uri_complete"]),
    };

    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.body).toEqual({
      device_code: expect.stringMatching(/^[\w-]{43}$/) as unknown,
      user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/) as unknown,
      verification_uri: `${gateway.publicUrl}/device`,
      verification_uri_complete: `${gateway.publicUrl}/device?user_code=${started.userCode}`,
      expires_in: 600,
      interval: 5,
    });
    const done = await approve(started, "ann");
    expect(done).toMatchObject({
      status: 200,
      body: expect.stringContaining("is signed in as ann@acme.example") as unknown,
    });

    const tokens = await device.poll(started);
    expect(tokens).toMatchObject({
      status: 200,
      body: {
        access_token: expect.any(String) as unknown,
        refresh_token: expect.any(String) as unknown,
        token_type: "Bearer",
        expires_in: 3_600,
      },
    });
    expect(tokens.headers.get("cache-control")).toBe("no-store");
    expect((await generate(tokens.body["access_token"])).status).toBe(200);
    expect(await device.poll(started)).toMatchObject({ status: 400, body: { error: "expired_token" } });

    const next = await device.refresh(tokens.body["refresh_token"]);
    expect(next.status).toBe(200);
    expect(next.body["refresh_token"]).not.toBe(tokens.body["refresh_token"]);
    expect((await generate(next.body["access_token"])).status).toBe(200);

    expect(await device.revoke(next.body["access_token"])).toMatchObject({ status: 200, body: {} });
    const over = await generate(next.body["access_token"]);
    expect(over.status).toBe(401);
    expect(over.headers.get("x-should-retry")).toBe("false");
    expect(await device.refresh(next.body["refresh_token"])).toMatchObject({
      status: 401,
      body: { error: "invalid_grant" },
    });
    expect((await device.revoke("never issued")).status).toBe(200);
  });

  test("is told to wait, to slow down, and what is wrong with a request", async () => {
    const device = client();
    const started = await device.start();

    expect(await device.poll(started)).toMatchObject({ status: 400, body: { error: "authorization_pending" } });
    expect(await device.poll(started)).toMatchObject({ status: 429, body: { error: "slow_down" } });
    expect(await device.poll({ deviceCode: "unknown" })).toMatchObject({
      status: 400,
      body: { error: "expired_token" },
    });
    for (const [form, error] of [
      [{}, "invalid_request"],
      [{ grant_type: "urn:ietf:params:oauth:grant-type:device_code" }, "invalid_request"],
      [{ grant_type: "refresh_token" }, "invalid_request"],
      [{ grant_type: "password", username: "ann" }, "unsupported_grant_type"],
    ] as const)
      expect(await device.post("/oauth/token", form)).toMatchObject({ status: 400, body: { error } });
    const large = await device.post("/oauth/token", { grant_type: "x".repeat(9_000) });
    expect(large).toMatchObject({ status: 400, body: { error: "invalid_request" } });
    expect(await device.refresh("tgr_made_up")).toMatchObject({ status: 401, body: { error: "invalid_grant" } });
  });

  test("is told when its person denies it", async () => {
    join("bob", "search");
    const device = client();
    const started = await device.start();
    const { browser, page } = await signInWithCode(started, { login: "bob" });
    const denied = await browser.submit(page, { verdict: "deny" });

    expect(denied.body).toContain("did not get access");
    expect(await device.poll(started)).toMatchObject({ status: 400, body: { error: "access_denied" } });
  });

  test("gets nothing when its person left between approval and poll", async () => {
    join("leaver", "search");
    const device = client();
    const started = await device.start();
    await approve(started, "leaver");
    await operate(gateway, "DELETE /people/leaver@acme.example");

    expect(await device.poll(started)).toMatchObject({ status: 400, body: { error: "access_denied" } });
  });
});

describe("a sent code", () => {
  test("leads to a page that names person, account, client, address and code, and is approved by nothing but its form", async () => {
    join("victim", "search");
    const device = client("203.0.113.9");
    const started = await device.start();
    const opened = await openBrowser().visit(started.page);
    const { browser, page } = await signInWithCode(started, { login: "victim" });

    expect(opened.body).toContain(`value="${started.userCode}"`);
    expect(opened.body).not.toMatch(/<script|http-equiv/);
    expect(opened.headers.get("content-security-policy")).toContain("default-src 'none'");
    for (const shown of [
      "victim@acme.example",
      "Acme/Search/victim@acme.example",
      "Claude Code 2.1.325",
      "203.0.113.9",
      started.userCode,
    ])
      expect(page.body).toContain(shown);
    expect(page.headers.get("content-security-policy")).toMatch(/form-action 'self'; frame-ancestors 'none'/);
    expect(page.body).not.toContain(started.deviceCode);
    expect(await device.poll(started)).toMatchObject({ body: { error: "authorization_pending" } });

    // Of another site's page, of a browser without the cookie, and by a link.
    const foreign = await browser.submit(page, { verdict: "approve" }, { origin: "https://evil.example" });
    const other = await openBrowser().submit(page, { verdict: "approve" });
    const link = await browser.visit(`${gateway.publicUrl}/device/decision?verdict=approve`);
    expect([foreign.status, other.status, link.status]).toEqual([400, 400, 405]);
    const nameless = await fetch(`${gateway.publicUrl}/device/decision`, {
      method: "POST",
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        cookie: `tollgate_device=${browser.cookies.get("127.0.0.1/ tollgate_device") ?? ""}`,
      },
      body: "verdict=approve",
    });
    expect(nameless.status).toBe(400);
    const fast = await device.poll(started);
    expect(fast.body["error"]).not.toBe("expired_token");
    expect(fast.status).not.toBe(200);

    expect((await browser.submit(page, { verdict: "approve" })).status).toBe(200);
    expect((await browser.submit(page, { verdict: "approve" })).status).toBe(400);
  });

  test("is not taken from a form of another site, nor is a sign-in that another browser began", async () => {
    join("carl", "search");
    const started = await client().start();
    const browser = openBrowser();
    const form = await browser.visit(started.page);
    const foreign = await browser.submit(form, { user_code: started.userCode }, { origin: "https://evil.example" });
    const { page } = await signInWithCode(started, { login: "carl", until: /\/oauth\/callback\?/ });
    const elsewhere = await openBrowser().visit(page.next ?? "");

    expect(foreign.status).toBe(400);
    expect(elsewhere).toMatchObject({
      status: 400,
      body: expect.stringContaining("not begun in this browser") as unknown,
    });
  });

  test("that is wrong is counted: from one address there are few guesses, and others are not locked out", async () => {
    join("dora", "search");
    const guesser = { address: "198.51.100.20" };
    const started = await client().start();
    const type = (code: string, address: string): Promise<Response> =>
      fetch(`${gateway.publicUrl}/device`, {
        method: "POST",
        redirect: "manual",
        headers: {
          "content-type": "application/x-www-form-urlencoded",
          origin: gateway.publicUrl,
          "x-forwarded-for": address,
        },
        body: new URLSearchParams({ user_code: code }).toString(),
      });
    const guesses = await Promise.all(
      Array.from({ length: 30 }, (_, at) => type(`BBBB-BB${"BCDFGHJKLM"[at % 10]}${"BCD"[at % 3]}`, guesser.address)),
    );

    const statuses = guesses.map(({ status }) => status);
    expect(statuses.filter((status) => status === 400)).toHaveLength(20);
    expect(statuses.filter((status) => status === 429)).toHaveLength(10);
    expect((await type(started.userCode, guesser.address)).status).toBe(429);
    expect((await type(started.userCode, "198.51.100.21")).status).toBe(303);
  });

  test("is denied when it was typed over and over", async () => {
    const device = client();
    const started = await device.start();
    const browser = openBrowser();
    const form = await browser.visit(started.page);
    const pages = [];
    for (let time = 0; time < 11; time++)
      pages.push((await browser.submit(form, { user_code: started.userCode }, { until: /auth\?/ })).status);

    expect(pages).toEqual([...Array<number>(10).fill(303), 400]);
    expect(await device.poll(started)).toMatchObject({ body: { error: "access_denied" } });
  });

  test("is one of a bounded number that wait at one address", async () => {
    const device = client("198.51.100.77");
    const answers = await Promise.all(
      Array.from({ length: 301 }, () => device.post("/oauth/device_authorization", { surface: "claude_code" })),
    );

    const refused = answers.filter(({ status }) => status === 429);
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(300);
    expect(await device.post("/oauth/device_authorization", {})).toMatchObject({
      status: 429,
      body: { error: "slow_down" },
    });
    expect(refused.length).toBeLessThanOrEqual(1);
  });
});

describe("codes and tokens that nobody was given", () => {
  test("are looked up a few times a minute from one address, and others are served", async () => {
    const flood = client("198.51.100.90");
    const made = (): Promise<DeviceAnswer> => flood.poll({ deviceCode: randomBytes(32).toString("base64url") });
    const statuses: number[] = [];
    for (let batch = 0; batch < 12; batch++)
      statuses.push(...(await Promise.all(Array.from({ length: 10 }, made))).map(({ status }) => status));

    expect(statuses.slice(0, 100)).toEqual(Array(100).fill(400));
    expect(statuses.slice(110)).toEqual(Array(10).fill(429));
    expect(await flood.refresh("tgr_made_up")).toMatchObject({ status: 429, body: { error: "slow_down" } });
    expect((await flood.revoke("made up")).status).toBe(429);
    expect(await client("198.51.100.91").refresh("tgr_made_up")).toMatchObject({ status: 401 });
  });
});

describe("an identity provider", () => {
  test.each(["reset", 500, "hang"] as const)(
    "that is down, broken or silent (%s) leaves the client waiting, and the person can try again",
    async (how) => {
      join("erin", "search");
      const device = client();
      const started = await device.start();
      const { browser, page } = await signInWithCode(started, { login: "erin", until: /\/oauth\/callback\?/ });
      oidc.fail(how);
      const failed = await browser.visit(page.next ?? "");
      oidc.fail(null);

      expect(failed).toMatchObject({ status: 503, body: expect.stringContaining("could not be completed") as unknown });
      expect(failed.headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(await device.poll(started)).toMatchObject({ body: { error: "authorization_pending" } });
      expect((await approve(started, "erin")).status).toBe(200);
    },
    30_000,
  );

  test("that lies about nonce, audience, issuer or time signs nobody in", async () => {
    join("finn", "search");
    const device = client();
    const started = await device.start();
    for (const lie of [
      { nonce: "another" },
      { aud: "another-client" },
      { iss: "https://another.example" },
      { exp: 1_000_000_000 },
    ]) {
      oidc.tamper((claims) => ({ ...claims, ...lie }));
      const { page } = await signInWithCode(started, { login: "finn" });
      expect({ lie, status: page.status }).toEqual({ lie, status: 503 });
    }
    oidc.tamper(null);

    expect(await device.poll(started)).toMatchObject({ body: { error: "authorization_pending" } });
  });

  test("whose person is in no group, or in none with a team, is told so", async () => {
    join("stranger", "somewhere-else");
    join("watcher", "viewers");
    for (const [login, words] of [
      ["stranger", "in no group that may sign in here"],
      ["watcher", "has no account here to pay from"],
    ] as const) {
      const { page } = await signInWithCode(await client().start(), { login });
      expect(page).toMatchObject({ status: 403, body: expect.stringContaining(words) as unknown });
    }
  });
});
