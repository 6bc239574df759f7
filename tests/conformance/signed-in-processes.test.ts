import { pathToFileURL } from "node:url";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStream, readAll } from "../contract/open-stream.ts";
import { CHAT } from "../contract/operations.ts";
import { operate } from "../contract/operator.ts";
import { type ChainedGateway, CREDIT, startChainedGateway } from "../support/chained-gateway.ts";
import { rememberSecrets } from "../support/gateway-process.ts";
import { approve, openDeviceClient } from "../support/oidc/device-client.ts";
import { type OidcServer, signInSettings, startOidc } from "../support/oidc/start-oidc.ts";
import { whyUnavailable } from "../support/postgres.ts";
import type { ServeProcess } from "../support/serve-process.ts";
import { type SignedIn, signIns } from "../support/signed-in.ts";

const SKEW_MINUTES = 10;
const skewed = (minutes: number): Record<string, string> => ({
  NODE_OPTIONS: `--import ${pathToFileURL(join(import.meta.dirname, "../support/skewed-clock.ts")).href}`,
  TEST_CLOCK_SKEW_MS: String(minutes * 60_000),
});

let oidc: OidcServer;
let stage: ChainedGateway;
let people: ReturnType<typeof signIns>;
/** One with the right time, and two that are as wrong as they can be without anybody having noticed. */
let right: ServeProcess;
let ahead: ServeProcess;
let behind: ServeProcess;

async function somebody(name: string): Promise<SignedIn> {
  const organisation = await stage.account(`Org of ${name}`);
  await stage.purse(organisation, 100n * CREDIT);
  return people.signIn(`${name}@acme.example`, await stage.account(name, organisation));
}

const client = ({ url }: ServeProcess) => openDeviceClient(url);

async function chat({ url }: ServeProcess, token: unknown): Promise<number> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${String(token)}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "chat", max_tokens: 20, messages: [{ role: "user", content: "Hello" }] }),
  });
  await response.text();
  return response.status;
}

describe.skipIf(whyUnavailable("15"))("sessions at several processes", () => {
  beforeAll(async () => {
    oidc = await startOidc({ ann: { email: "ann@acme.example", name: "Ann", groups: ["search"] } });
    rememberSecrets([oidc.clientSecret]);
    stage = await startChainedGateway(signInSettings(oidc, "search -> member of Acme/Search"));
    right = stage.process;
    [ahead, behind] = await Promise.all([
      stage.startAnother(skewed(SKEW_MINUTES)),
      stage.startAnother(skewed(-SKEW_MINUTES)),
    ]);
    for (const { url } of [right, ahead, behind]) oidc.allowRedirect(`${url}/oauth/callback`);
    people = signIns(stage);
    await operate(stage.gateway, "POST /accounts", { name: "Acme", kind: "organisation" });
    await operate(stage.gateway, "POST /accounts", { name: "Search", kind: "team", parent: "Acme" });
    await operate(stage.gateway, "POST /accounts/Acme/topups", { amount: "100", reference: "first" });
  });
  afterAll(async () => {
    rememberSecrets(oidc.issued);
    await stage?.stop();
    await oidc?.close();
  });

  test("a stolen refresh token that is used at another process ends the session at all of them, and cuts its streams", async () => {
    const { email, tokens } = await somebody("mallory-s-victim");
    const first = await client(right).refresh(tokens.refreshToken);
    // Within a minute a repetition gets the same answer, whichever process is asked.
    expect((await client(ahead).refresh(tokens.refreshToken)).body).toMatchObject({
      access_token: first.body["access_token"],
      refresh_token: first.body["refresh_token"],
    });
    const second = await client(behind).refresh(first.body["refresh_token"]);
    const access = String(second.body["access_token"]);
    expect([await chat(right, access), await chat(ahead, access)]).toEqual([200, 200]);
    const stream = await openStream(CHAT, {
      gateway: stage.gateway,
      key: access,
      fields: { model: "endless-chat", max_tokens: 4_000 },
    });
    const reading = readAll(stream);

    const thief = await client(ahead).refresh(tokens.refreshToken);

    expect(thief).toMatchObject({ status: 401, body: { error: "invalid_grant" } });
    const { text } = await reading;
    expect(text).not.toContain("[DONE]");
    expect(await Promise.all([right, ahead, behind].map((at) => chat(at, access)))).toEqual([401, 401, 401]);
    for (const at of [right, ahead, behind])
      expect((await client(at).refresh(second.body["refresh_token"])).status).toBe(401);
    const { data } = await operate<{ data: { action: string }[] }>(
      stage.gateway,
      "GET /audit?action=client_session.reuse",
    );
    expect(JSON.stringify(data)).toContain(email);
  });

  test("a session is renewed at any process for the same hour, however wrong its clock is", async () => {
    const { tokens } = await somebody("nina");
    let shown: unknown = tokens.refreshToken;
    for (const at of [ahead, behind, right]) {
      const answer = await client(at).refresh(shown);
      expect(answer.status).toBe(200);
      expect(3_600 - Number(answer.body["expires_in"])).toBeLessThan(60);
      expect(await Promise.all([right, ahead, behind].map((each) => chat(each, answer.body["access_token"])))).toEqual([
        200, 200, 200,
      ]);
      shown = answer.body["refresh_token"];
    }
  });

  /** Statuses at the processes that are behind, right and ahead, of a token that expires in so many minutes. */
  async function expiringIn(minutes: number): Promise<number[]> {
    const { tokens } = await somebody(`expiring-in-${minutes}`);
    await stage.query("update key_secret set expires_at = now() + $2 * interval '1 minute' where key_id = $1", [
      tokens.sessionId,
      minutes,
    ]);
    return Promise.all([behind, right, ahead].map((at) => chat(at, tokens.accessToken)));
  }

  test("an access token ends by the clock of the process that it is shown to, and never later than that clock is wrong", async () => {
    expect(await expiringIn(SKEW_MINUTES + 2)).toEqual([200, 200, 200]);
    expect(await expiringIn(SKEW_MINUTES - 2)).toEqual([200, 200, 401]);
    expect(await expiringIn(-(SKEW_MINUTES - 2))).toEqual([200, 401, 401]);
    expect(await expiringIn(-(SKEW_MINUTES + 2))).toEqual([401, 401, 401]);
  });

  test("a client that started at a process that is behind is approved and redeemed at one that is ahead, and the other way round", async () => {
    for (const [first, second] of [
      [behind, ahead],
      [ahead, behind],
    ] as const) {
      const started = await client(first).start();
      expect(await client(first).poll(started)).toMatchObject({ body: { error: "authorization_pending" } });
      expect(await client(second).poll(started)).toMatchObject({ status: 429, body: { error: "slow_down" } });
      // Another client starts meanwhile, which clears away what has expired.
      await client(second).start();

      const approved = await approve({ ...started, page: `${second.url}/device` }, "ann");
      expect(approved.body).toContain("is signed in as ann@acme.example");
      await stage.query("update device_grant set polled_at = polled_at - interval '5 seconds'");
      const tokens = await client(second).poll(started);

      expect(tokens.status).toBe(200);
      expect(3_600 - Number(tokens.body["expires_in"])).toBeLessThan(60);
      expect(await chat(first, tokens.body["access_token"])).toBe(200);
    }
  });

  test("a code that has expired by the database's clock is over at every process", async () => {
    const started = await client(behind).start();
    await stage.query("update device_grant set expires_at = now() - interval '1 second'");

    for (const at of [behind, right, ahead])
      expect(await client(at).poll(started)).toMatchObject({ status: 400, body: { error: "expired_token" } });
  });
});
