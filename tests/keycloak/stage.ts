import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { issueKey, operate } from "../contract/operator.ts";
import { setup as makeDescriptions } from "../support/descriptions.ts";
import { rememberSecrets } from "../support/gateway-process.ts";
import { type Browser, openBrowser, type Page } from "../support/oidc/browser.ts";
import { serveCatalogue } from "../support/serve-catalogue.ts";
import { openChatStream, readAll } from "../support/sse-client.ts";
import { until } from "../support/until.ts";
import { PASSWORD } from "./realm.ts";

export const CALLBACK = "/admin/v1/sign-in/oidc/callback";
const ADMIN_TOKEN = "an-admin-token-beside-keycloak";
/** Everybody who is in is asked about so often, on a machine that does much else. */
const REFRESH_EVERY_MS = 4_000;
const GROUPS = `
  gateway-admins -> owner
  viewers -> viewer
  search -> member of Acme/Search with 50 per month
  ads -> member of Acme/Ads with 20 per month
  /slashed -> viewer
`;
/** At Keycloak. */
export const GROUP_NAMES = ["gateway-admins", "viewers", "search", "ads", "slashed", "unmapped"];

type Provider = { issuer: string; clientId: string; clientSecret: string };
type Account = { id: string; status: string; counters: { amount: string }[] };

/** `tollgate serve` on PostgreSQL, as the client of a provider, and those who use it. */
export type KeycloakStage = Awaited<ReturnType<typeof startStage>>;

export async function startStage(provider: Provider, settings: Record<string, string> = {}) {
  makeDescriptions();
  rememberSecrets([provider.clientSecret, PASSWORD]);
  const { served, stop } = await serveCatalogue({
    adminToken: ADMIN_TOKEN,
    catalogueAt: (simulatorUrl) => ({
      providers: [{ name: "acme", base_url: `${simulatorUrl}/v1`, credential: "env:PROVIDER_KEY" }],
      models: [
        {
          id: "chat",
          provider: "acme",
          max_output_tokens: 100_000,
          price: { input: "0", output: "0.01" },
          routes: [{ provider: "acme", upstream_model: "sim+tokens=100000+rate=50", format: "chat" }],
        },
      ],
    }),
    settings: {
      TOLLGATE_SIGN_IN_ISSUER: provider.issuer,
      TOLLGATE_SIGN_IN_CLIENT_ID: provider.clientId,
      TOLLGATE_SIGN_IN_CLIENT_SECRET: provider.clientSecret,
      TOLLGATE_SIGN_IN_GROUPS: GROUPS,
      TOLLGATE_CREDENTIAL_KEY: randomBytes(32).toString("base64"),
      TOLLGATE_SIGN_IN_REFRESH_EVERY_MS: String(REFRESH_EVERY_MS),
      ...settings,
    },
  });
  const gateway = { adminUrl: served.adminUrl, adminToken: ADMIN_TOKEN };
  await operate(gateway, "POST /accounts", { name: "Acme", kind: "organisation" });
  for (const name of ["Search", "Ads"])
    await operate(gateway, "POST /accounts", { name, kind: "team", parent: "Acme" });
  await operate(gateway, "POST /accounts/Acme/topups", { amount: "100", reference: "first" });

  const accountIn = async (team: string, login: string): Promise<Account> => {
    const path = encodeURIComponent(`Acme/${team}/${login}@acme.example`);
    return (await operate<{ account: Account }>(gateway, `GET /accounts/${path}`)).account;
  };
  const statusOf = async (browser: Browser, path: string): Promise<number> =>
    (await browser.visit(`${gateway.adminUrl}/admin/v1${path}`)).status;
  const lines = (message: string): string[] =>
    served
      .output()
      .split("\n")
      .filter((line) => line.includes(`"msg":"${message}"`));

  return {
    gateway,
    redirectUri: `${gateway.adminUrl}${CALLBACK}`,
    accountIn,
    statusOf,
    isOwner: async (browser: Browser): Promise<boolean> => {
      const cookie = `tollgate_session=${browser.cookies.get("127.0.0.1/ tollgate_session")}`;
      const headers = { cookie, origin: gateway.adminUrl, "content-type": "application/json" };
      const response = await fetch(`${gateway.adminUrl}/admin/v1/keys`, { method: "POST", headers, body: "{}" });
      return ![401, 403].includes(response.status);
    },
    isIn: async (browser: Browser): Promise<boolean> => (await statusOf(browser, "/accounts")) !== 401,
    /** The lines of the log with this message. */
    lines,
    /** Waits for one more of them. */
    nextLine: async (message: string, timeoutMs = 60_000): Promise<string> => {
      const had = lines(message).length;
      await until(() => lines(message).length > had, `the log has "${message}"`, timeoutMs);
      return lines(message).at(-1) ?? "";
    },
    signIn: async (login: string): Promise<{ browser: Browser; page: Page }> => {
      const browser = openBrowser();
      const form = await browser.visit(`${gateway.adminUrl}/admin/v1/sign-in/oidc?return_to=/docs`);
      const page = await browser.submit(form, { username: login, password: PASSWORD });
      rememberSecrets([...browser.cookies.values()]);
      return { browser, page };
    },
    /** A key of somebody's account, with a stream that runs until it is cut. */
    openStream: async (accountId: string) => {
      const { secret } = await issueKey(gateway, { account: accountId });
      const { response } = await openChatStream({ url: served.url, key: secret, model: "chat" });
      const first = once(response, "data");
      const ended = readAll(response);
      await first;
      const headers = { authorization: `Bearer ${secret}` };
      return { ended, keyStatus: async () => (await fetch(`${served.url}/v1/models`, { headers })).status };
    },
    stop,
  };
}
