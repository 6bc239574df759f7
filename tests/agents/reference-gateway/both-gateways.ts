import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { operate } from "../../contract/operator.ts";
import { rememberSecrets, startGatewayProcess } from "../../support/gateway-process.ts";
import { type Browser, openBrowser, type Page } from "../../support/oidc/browser.ts";
import { openDeviceClient, signInWithCode, type StartedDevice } from "../../support/oidc/device-client.ts";
import { signInSettings, startOidc } from "../../support/oidc/start-oidc.ts";
import type { Side } from "./probes.ts";
import { startReferenceGateway } from "./start-reference-gateway.ts";

/** The two gateways before one identity provider, one provider of models and one collector, with the same people, settings and limits. */
export type BothGateways = AsyncDisposable & {
  reference: Side;
  ours: Side;
  /** Both limits become less than what was spent. */
  useUpLimits: () => Promise<void>;
};

const MODEL = "claude-sonnet-4-5";
const UPSTREAM = "sim+tokens=6";
const PEOPLE = { ann: "search", bob: "others" };
const SETTINGS = { model: MODEL, permissions: { deny: ["WebFetch"] } };
/** Per million tokens, so that a few tokens are cents. */
const PRICE = 10_000;
const LIMIT_USD = "50";

export async function openBothGateways(program: string): Promise<BothGateways> {
  const folder = mkdtempSync(join(tmpdir(), "both-gateways-"));
  const collector = createServer((request, response) => void request.resume().on("end", () => response.end()));
  collector.listen(0, "127.0.0.1");
  await once(collector, "listening");
  const collectorUrl = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  const people = Object.entries(PEOPLE).map(([login, group]) => [
    login,
    { email: `${login}@acme.example`, name: login, groups: [group] },
  ]);
  const oidc = await startOidc(Object.fromEntries(people));
  const file = join(folder, "client-settings.json");
  writeFileSync(file, JSON.stringify([{ group: "search", settings: SETTINGS }]));
  const gateway = await startGatewayProcess({
    models: {
      [MODEL]: { upstream: UPSTREAM, spoken: "messages", price: { input: String(PRICE), output: String(PRICE) } },
    },
    settings: {
      ...signInSettings(
        oidc,
        `search -> member of Acme with ${LIMIT_USD} per month\nothers -> member of Acme with ${LIMIT_USD} per month`,
      ),
      TOLLGATE_SIGN_IN_CLIENT_SETTINGS: file,
      TOLLGATE_SIGN_IN_CLIENT_TELEMETRY_URL: collectorUrl,
    },
  });
  oidc.allowRedirect(`${gateway.publicUrl}/oauth/callback`);
  await operate(gateway, "POST /accounts", { name: "Acme", kind: "organisation" });
  await operate(gateway, "POST /accounts/Acme/topups", { amount: "1000", reference: "first" });
  const reference = await startReferenceGateway({
    program,
    oidc,
    provider: { url: gateway.simulatorUrl, upstreamModel: UPSTREAM, pricePerMillion: PRICE },
    model: MODEL,
    policy: { group: "search", settings: SETTINGS },
    collectorUrl,
  });
  await reference.setLimit("5000");
  return {
    reference: await sideOf(reference.url, {
      approve: () => Promise.resolve(),
      deny: async (browser, page) => {
        const cancel = /href="([^"]+\/abort)"/.exec(page.body)?.[1];
        if (cancel === undefined) throw new Error("the provider's page has no way out");
        await browser.visit(new URL(cancel, page.url).href);
      },
    }),
    ours: await sideOf(gateway.publicUrl, {
      approve: async (browser, page) => void (await browser.submit(page, { verdict: "approve" })),
      deny: async (browser, page) => {
        const question = await browser.submit(page, { login: "ann", password: "any" });
        await browser.submit(question, { verdict: "deny" });
      },
    }),
    useUpLimits: async () => {
      await reference.setLimit("5");
      await operate(gateway, `POST /accounts/${encodeURIComponent("Acme/ann@acme.example")}/limits`, {
        amount: "0.05",
      });
    },
    [Symbol.asyncDispose]: async () => {
      rememberSecrets([oidc.clientSecret, ...oidc.issued]);
      await reference[Symbol.asyncDispose]();
      await gateway.stop();
      await oidc.close();
      collector.close();
      rmSync(folder, { recursive: true });
    },
  };
}

type Answers = Record<"approve" | "deny", (browser: Browser, page: Page) => Promise<void>>;

/** Signs the people in, and lets one of them refuse. */
async function sideOf(base: string, { approve, deny }: Answers): Promise<Side> {
  const device = openDeviceClient(base);
  async function signedIn(login: string) {
    const started = await device.start();
    const { browser, page } = await signInWithCode(started, { login });
    await approve(browser, page);
    const { status, body } = await device.poll(started);
    if (status !== 200)
      throw new Error(`${login} could not sign in at ${base}: ${status} ${JSON.stringify(body)} ${page.body}`);
    return { started, access: String(body["access_token"]), refresh: String(body["refresh_token"]) };
  }
  const ann = await signedIn("ann");
  const bob = await signedIn("bob");
  const denied = await device.start();
  await refuse(denied, deny);
  const side = {
    base,
    access: ann.access,
    refresh: ann.refresh,
    plain: bob.access,
    usedCode: ann.started.deviceCode,
    deniedCode: denied.deviceCode,
    model: MODEL,
  };
  await spend(side);
  return side;
}

async function refuse(started: StartedDevice, deny: Answers["deny"]): Promise<void> {
  const browser = openBrowser();
  await deny(browser, await browser.submit(await browser.visit(started.page), { user_code: started.userCode }));
}

/** A few messages, with time for a gateway to look how full the limit is. */
async function spend({ base, access, model }: Pick<Side, "base" | "access" | "model">): Promise<void> {
  for (let time = 0; time < 3; time++) {
    const response = await fetch(`${base}/v1/messages`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${access}`,
        "content-type": "application/json",
        "anthropic-version": "2023-06-01",
      },
      body: JSON.stringify({ model, max_tokens: 16, messages: [{ role: "user", content: "hello" }] }),
    });
    if (!response.ok) throw new Error(`${base} answered ${response.status}: ${await response.text()}`);
    await response.arrayBuffer();
    await sleep(1_000);
  }
}
