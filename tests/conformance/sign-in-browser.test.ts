import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operate } from "../contract/operator.ts";
import { type Chromium, type ChromiumContext, type ChromiumPage, findChromium } from "../support/chromium.ts";
import { type GatewayProcess, rememberSecrets, startGatewayProcess } from "../support/gateway-process.ts";
import { type OidcServer, signInSettings, startOidc } from "../support/oidc/start-oidc.ts";

const PATIENT_MS = 240_000;
/** A page without a policy that forbids its scripts to ask. */
const HOME = "/admin/v1/session";
const { missing, launch } = await findChromium();

let oidc: OidcServer;
let gateway: GatewayProcess;
let chromium: Chromium;
/** Pages of somebody else. `localhost` is another site than 127.0.0.1; another port of it is another origin of the same site. */
let stranger: Server;
const strangers = (host: "localhost" | "127.0.0.1"): string =>
  `http://${host}:${(stranger.address() as AddressInfo).port}`;

beforeAll(async () => {
  if (missing) return;
  // The provider is another site than the gateway, as it is everywhere.
  oidc = await startOidc({ ann: { email: "ann@acme.example", groups: ["admins"] } }, { host: "localhost" });
  gateway = await startGatewayProcess({ settings: signInSettings(oidc, "admins -> owner") });
  oidc.allowRedirect(`${gateway.adminUrl}/admin/v1/sign-in/oidc/callback`);
  const form = `<form id="f" method="post" enctype="text/plain" action="${gateway.adminUrl}/admin/v1/accounts">
    <input name='{"kind":"team","name":"Stolen","x":"' value='"}'></form>`;
  stranger = createServer((_request, response) => void response.setHeader("content-type", "text/html").end(form));
  stranger.listen(0, "127.0.0.1");
  await once(stranger, "listening");
  chromium = await launch();
}, PATIENT_MS);
afterAll(async () => {
  if (missing) return;
  await chromium.close();
  stranger.close();
  rememberSecrets([oidc.clientSecret, ...oidc.issued]);
  await gateway.stop();
  await oidc.close();
}, PATIENT_MS);

/** A browser in which she signed in on the provider's page, and is where she began. */
async function signedIn(): Promise<{ context: ChromiumContext; page: ChromiumPage }> {
  const context = await chromium.newContext();
  const page = await context.newPage();
  await page.goto(`${gateway.adminUrl}/admin/v1/sign-in/oidc?return_to=${HOME}`);
  expect(new URL(page.url()).hostname).toBe("localhost");
  await page.fill("input[name=login]", "ann");
  await page.fill("input[name=password]", "any");
  await Promise.all([
    page.waitForURL(`${gateway.adminUrl}${HOME}`, { timeout: PATIENT_MS }),
    page.click("button[type=submit]"),
  ]);
  rememberSecrets((await context.cookies()).map(({ value }) => value));
  return { context, page };
}

const sessionIn = async (context: ChromiumContext) =>
  (await context.cookies()).find(({ name }) => name === "tollgate_session");
const asked = (page: ChromiumPage, path: string, method = "GET") =>
  page.evaluate<{ status: number; actor?: string }>(
    `fetch(${JSON.stringify(path)}, { method: "${method}" }).then(async (r) => ({ status: r.status, actor: (await r.json()).actor }))`,
  );

describe.skipIf(missing)("in a real browser", { timeout: PATIENT_MS }, () => {
  test("somebody who comes back from another site is signed in, and no script can read the cookie", async () => {
    const { context, page } = await signedIn();

    expect(page.url()).toBe(`${gateway.adminUrl}${HOME}`);
    expect(await asked(page, "/admin/v1/session")).toEqual({ status: 200, actor: "ann@acme.example" });
    expect(await sessionIn(context)).toMatchObject({ httpOnly: true, sameSite: "Lax", path: "/" });
    expect(await page.evaluate<string>("document.cookie")).toBe("");
    expect((await context.cookies()).map(({ name }) => name)).not.toContain("tollgate_sign_in");
    await context.close();
  });

  test.each([
    ["another site, to which the browser sends no cookie", "localhost", 401],
    ["another origin of the same site, by its Origin header", "127.0.0.1", 403],
  ] as const)("a form on a page of %s changes nothing", async (_what, host, status) => {
    const { context, page } = await signedIn();
    await page.goto(strangers(host));
    const [response] = await Promise.all([
      page.waitForNavigation(),
      page.evaluate("document.getElementById('f').submit()"),
    ]);
    const { data } = await operate<{ data: { name: string }[] }>(gateway, "GET /accounts");

    expect(response?.status()).toBe(status);
    expect(data.map(({ name }) => name)).not.toContain("Stolen");
    await context.close();
  });

  test("a script of another origin reads nothing, and can't ask for a change", async () => {
    const { context, page } = await signedIn();
    await page.goto(strangers("127.0.0.1"));
    const outcome = (options: string) =>
      page.evaluate<string>(
        `fetch("${gateway.adminUrl}/admin/v1/session", { credentials: "include", ${options} }).then((r) => r.text(), (e) => e.name)`,
      );

    expect(await outcome("")).toBe("TypeError");
    expect(await outcome('method: "DELETE"')).toBe("TypeError");
    await page.goto(`${gateway.adminUrl}${HOME}`);
    expect(await asked(page, "/admin/v1/session")).toMatchObject({ status: 200 });
    await context.close();
  });

  test("whoever signs out has no cookie any more, and the old one is worth nothing", async () => {
    const { context, page } = await signedIn();
    const old = (await sessionIn(context))?.value ?? "";
    const out = await asked(page, "/admin/v1/session", "DELETE");
    const again = await fetch(`${gateway.adminUrl}/admin/v1/session`, {
      headers: { cookie: `tollgate_session=${old}` },
    });

    expect([old.length, out.status, again.status]).toEqual([43, 200, 401]);
    expect(await sessionIn(context)).toBeUndefined();
    await context.close();
  });
});
