import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { rememberSecrets } from "../support/gateway-process.ts";
import { installPackages, load } from "../support/npm-packages.ts";
import { freshDatabase, type FreshDatabase, whyUnavailable } from "../support/postgres.ts";
import { freePort } from "../support/free-port.ts";
import { type ServeProcess, startServeProcess } from "../support/serve-process.ts";
import { buildStripeMock, startStripeMock, type StripeMock } from "../support/stripe-mock.ts";
import {
  deliver,
  signatureOf,
  startTopUpService,
  STRIPE_KEY,
  TOP_UP_TOKEN,
  topUpSettings,
  type TopUpService,
  WEBHOOK_SECRET,
} from "../support/stripe-topup.ts";
import { childEnvironment } from "../support/child-environment.ts";

const ADMIN_TOKEN = "an-admin-token-for-tests";
/** What 25 credits cost, in cents. */
const PRICE = 2_500;

type StripeLibrary = {
  webhooks: { generateTestHeaderString: (given: { payload: string; secret: string; timestamp?: number }) => string };
};
type Made = { key: { id: string; prefix: string }; secret: string };
type Entry = { kind: string; reference: string | null };

const [mock, library] = await Promise.all([buildStripeMock(), installPackages("stripe", { stripe: "23.1.0" })]);
const missing = whyUnavailable("15");

describe.skipIf(missing !== null)(`a paid Stripe Checkout becomes a purchase${missing ? ` (${missing})` : ""}`, () => {
  let folder: string;
  let database: FreshDatabase;
  let gateway: ServeProcess;
  let environment: Record<string, string>;
  let stripe: StripeMock | null = null;
  let service: TopUpService;
  let key: Made["key"] & { secret: string };

  const start = (): Promise<ServeProcess> => startServeProcess({ folder, environment });
  const services: TopUpService[] = [];
  async function startService(more: Record<string, string> = {}): Promise<TopUpService> {
    const settings = topUpSettings({
      TOLLGATE_ADMIN_URL: gateway.adminUrl,
      TOLLGATE_ADMIN_TOKEN: ADMIN_TOKEN,
      ...(stripe === null ? {} : { STRIPE_API_URL: stripe.url }),
      ...more,
    });
    const started = await startTopUpService(settings);
    services.push(started);
    return started;
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "tollgate-stripe-"));
    rememberSecrets([ADMIN_TOKEN, STRIPE_KEY, WEBHOOK_SECRET, TOP_UP_TOKEN]);
    [database, stripe] = await Promise.all([
      freshDatabase(),
      mock.folder === null ? null : startStripeMock(mock.folder),
    ]);
    environment = {
      ...childEnvironment(),
      DATABASE_URL: database.url,
      TOLLGATE_ADMIN_TOKEN: ADMIN_TOKEN,
      TOLLGATE_ADMIN_PORT: String(await freePort()),
      PORT: "0",
    };
    gateway = await start();
    service = await startService();
    key = await makeKey("credit");
  });
  afterAll(async () => {
    for (const started of services) await started.kill();
    await stripe?.stop();
    await gateway?.stop();
    await database?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  /** After whatever a test did, the ledger agrees with its journal. */
  afterEach(async () => {
    expect(await admin("POST", "ledger/verify", {})).toMatchObject({ ok: true, mismatches: [] });
  });

  async function admin<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    const response = await fetch(`${gateway.adminUrl}/admin/v1/${path}`, {
      method,
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    expect(response.status, path).toBeLessThan(300);
    return (await response.json()) as Answer;
  }

  async function makeKey(mode: "credit" | "token_budget", account: string | null = null): Promise<typeof key> {
    const { key: made, secret } = await admin<Made>("POST", "keys", { mode, account });
    rememberSecrets([secret]);
    return { ...made, secret };
  }
  /** As its holder sees it. */
  async function balance(): Promise<number> {
    const response = await fetch(`${gateway.url}/v1/usage`, { headers: { authorization: `Bearer ${key.secret}` } });
    return ((await response.json()) as { credits: { balance: number } }).credits.balance;
  }
  const bookings = async (): Promise<Entry[]> =>
    (await admin<{ data: Entry[] }>("GET", `keys/${key.id}/journal`)).data.map(({ kind, reference }) => ({
      kind,
      reference,
    }));

  /** A paid session of 25 credits, as Stripe describes it in an event. */
  function paidSession(changes: object = {}): { intent: string; session: object } {
    const id = randomUUID().replaceAll("-", "");
    const intent = `pi_${id}`;
    const metadata = {
      tollgate_target: `keys/${key.id}`,
      tollgate_credits: "25",
      tollgate_amount: String(PRICE),
      tollgate_currency: "usd",
    };
    const session = {
      id: `cs_test_${id}`,
      object: "checkout.session",
      amount_total: PRICE,
      currency: "usd",
      mode: "payment",
      payment_intent: intent,
      payment_status: "paid",
      metadata,
      ...changes,
    };
    return { intent, session };
  }

  const eventOf = (session: object, type = "checkout.session.completed"): string =>
    JSON.stringify({ id: `evt_${randomUUID()}`, object: "event", type, data: { object: session } }, null, 2);

  /** Delivers to a key of its own, so that a test sees its own money alone. */
  async function withOwnKey(): Promise<void> {
    key = await makeKey("credit");
    expect(await balance()).toBe(0);
  }

  test("one delivery is booked once, under the id of the payment", async () => {
    await withOwnKey();
    const { intent, session } = paidSession();

    expect(await deliver(service.url, eventOf(session))).toMatchObject({ status: 200, body: { result: "funded" } });
    expect(await bookings()).toEqual([{ kind: "purchase", reference: `stripe:${intent}` }]);
    expect(await balance()).toBe(25);
  });

  test("the same event delivered again, and the other event of the same payment, book nothing", async () => {
    await withOwnKey();
    const { session } = paidSession();
    const event = eventOf(session);
    await deliver(service.url, event);

    expect(await deliver(service.url, event)).toMatchObject({ status: 200, body: { result: "already" } });
    const other = eventOf(session, "checkout.session.async_payment_succeeded");
    expect(await deliver(service.url, other)).toMatchObject({ status: 200, body: { result: "already" } });
    expect(await balance()).toBe(25);
  });

  test("twenty deliveries of one event in parallel, to two services, are booked once", async () => {
    await withOwnKey();
    const second = await startService();
    const event = eventOf(paidSession().session);

    const delivered = await Promise.all(
      Array.from({ length: 20 }, (_, index) => deliver([service, second][index % 2]?.url ?? "", event)),
    );

    expect(delivered.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    expect(delivered.filter(({ body }) => body.result === "funded")).toHaveLength(1);
    expect(await balance()).toBe(25);
  });

  test("a payment that completes later is booked when it is paid", async () => {
    await withOwnKey();
    const { session } = paidSession();
    const unpaid = eventOf({ ...session, payment_status: "unpaid" });

    expect(await deliver(service.url, unpaid)).toMatchObject({ status: 200, body: { result: "ignored" } });
    expect(await balance()).toBe(0);
    const paid = eventOf(session, "checkout.session.async_payment_succeeded");
    expect(await deliver(service.url, paid)).toMatchObject({ status: 200, body: { result: "funded" } });
    expect(await balance()).toBe(25);
  });

  test("a wrong signature, an old one and none get 400", async () => {
    await withOwnKey();
    const event = eventOf(paidSession().session);
    const nowS = Math.floor(Date.now() / 1_000);
    const good = signatureOf(event);
    const headers = [
      signatureOf(event, { secret: "whsec_of_another_endpoint" }),
      signatureOf(`${event} `),
      signatureOf(event, { atS: nowS - 310 }),
      signatureOf(event, { atS: nowS + 310 }),
      good.replace(/t=\d+/, `t=${nowS - 1}`),
      good.replace("v1=", "v0="),
      good.slice(0, -2),
      `t=${nowS},v1=`,
      "",
    ];

    const delivered = await Promise.all(headers.map((header) => deliver(service.url, event, header)));

    expect(delivered.map(({ status }) => status)).toEqual(headers.map(() => 400));
    expect(await balance()).toBe(0);
    // During a roll of the secret Stripe sends one signature for each.
    const rolled = `${good},v1=${"0".repeat(64)}`;
    expect(await deliver(service.url, event, rolled)).toMatchObject({ status: 200 });
    expect(await balance()).toBe(25);
  });

  test.skipIf(library.missing !== null)(
    `a signature made by Stripe's own library is accepted, and one of five minutes ago is not${library.missing ? ` (${library.missing})` : ""}`,
    async () => {
      await withOwnKey();
      const Stripe = load<new (apiKey: string) => StripeLibrary>(library, "stripe");
      const { webhooks } = new Stripe(STRIPE_KEY);
      const payload = eventOf(paidSession().session);
      const timestamp = Math.floor(Date.now() / 1_000) - 310;
      const old = webhooks.generateTestHeaderString({ payload, secret: WEBHOOK_SECRET, timestamp });
      const header = webhooks.generateTestHeaderString({ payload, secret: WEBHOOK_SECRET });

      expect(await deliver(service.url, payload, old)).toMatchObject({ status: 400 });
      expect(await deliver(service.url, payload, header)).toMatchObject({ status: 200, body: { result: "funded" } });
      expect(await balance()).toBe(25);
    },
  );

  test("a payment in another currency or of another amount, or to no key, is not booked and gets 422", async () => {
    await withOwnKey();
    const { session } = paidSession();
    const nowhere = { tollgate_credits: "25", tollgate_amount: String(PRICE), tollgate_currency: "usd" };
    const wrong = [
      { currency: "eur" },
      { amount_total: PRICE - 1 },
      { amount_total: null },
      { metadata: { ...nowhere, tollgate_target: `keys/${randomUUID()}` } },
      { metadata: { ...nowhere, tollgate_target: `keys/${key.id}/../${key.id}` } },
      { metadata: { ...nowhere, tollgate_target: `keys/${key.id}`, tollgate_credits: "-25" } },
    ];

    for (const changes of wrong)
      expect(await deliver(service.url, eventOf({ ...session, ...changes })), JSON.stringify(changes)).toMatchObject({
        status: 422,
        body: { error: expect.any(String) },
      });
    expect(await balance()).toBe(0);
  });

  test("events that are not about a top-up are confirmed and change nothing", async () => {
    await withOwnKey();
    const { session } = paidSession();
    const events = [
      eventOf({ ...session, metadata: null }),
      eventOf({ ...session, metadata: { order: "7" } }),
      eventOf(session, "checkout.session.expired"),
      eventOf({ id: "ch_1", object: "charge", amount_refunded: PRICE }, "charge.refunded"),
      JSON.stringify({ id: "evt_thin", object: "v2.core.event", type: "v1.billing.meter.no_meter_found" }),
    ];

    for (const event of events)
      expect(await deliver(service.url, event)).toMatchObject({ status: 200, body: { result: "ignored" } });
    expect(await balance()).toBe(0);
  });

  test("while Tollgate is down a delivery gets 503, and the next one after its return is booked", async () => {
    await withOwnKey();
    const event = eventOf(paidSession().session);
    gateway.signal("SIGKILL");
    await gateway.ended;

    expect(await deliver(service.url, event)).toMatchObject({ status: 503 });
    gateway = await start();
    expect(await balance()).toBe(0);
    expect(await deliver(service.url, event)).toMatchObject({ status: 200, body: { result: "funded" } });
    expect(await balance()).toBe(25);
  });

  test("a wrong admin token gets 503, so that Stripe delivers again after it is corrected", async () => {
    const mistaken = await startService({ TOLLGATE_ADMIN_TOKEN: "another-token" });

    expect(await deliver(mistaken.url, eventOf(paidSession().session))).toMatchObject({ status: 503 });
  });

  test("a service that is killed after the booking and before its response books nothing when it is back", async () => {
    await withOwnKey();
    const event = eventOf(paidSession().session);
    const link = await linkTo(Number(new URL(gateway.adminUrl).port));
    const doomed = await startService({ TOLLGATE_ADMIN_URL: link.url });

    const lost = deliver(doomed.url, event).catch(() => "no response");
    await link.answered;
    await doomed.kill();

    expect(await lost).toBe("no response");
    expect(await balance()).toBe(25);
    expect(await deliver(service.url, event)).toMatchObject({ status: 200, body: { result: "already" } });
    expect(await balance()).toBe(25);
    link.close();
  });

  /** A team of an organisation, and a key in it. */
  async function makeTree(): Promise<{ team: string; path: string; person: typeof key }> {
    type Created = { account: { id: string; path: string } };
    const { account: acme } = await admin<Created>("POST", "accounts", { name: `Acme ${randomUUID()}` });
    const { account: team } = await admin<Created>("POST", "accounts", { name: "Search", parent: acme.id });
    return { team: team.id, path: team.path, person: await makeKey("credit", team.id) };
  }

  describe.skipIf(mock.missing !== null)(`the session${mock.missing ? ` (${mock.missing})` : ""}`, () => {
    async function checkout(
      order: Record<string, string>,
      { token = TOP_UP_TOKEN, url = service.url } = {},
    ): Promise<{ status: number; body: { url?: string; target?: string; error?: string } }> {
      const headers = { authorization: `Bearer ${token}` };
      const body = new URLSearchParams(order);
      const response = await fetch(`${url}/checkout`, { method: "POST", headers, body });
      return { status: response.status, body: (await response.json()) as { url?: string; target?: string } };
    }

    test("is accepted by stripe-mock, and an event with its metadata is booked to the key", async () => {
      await withOwnKey();

      const { status, body } = await checkout({ key: key.prefix, credits: "25" });
      const asked = stripe?.output() ?? "";
      const metadata = metadataOf(asked);
      const { session } = paidSession({ metadata });

      expect({ status, url: body.url }).toEqual({ status: 200, url: expect.stringMatching(/^https:\/\/checkout\./) });
      expect(asked).toContain(
        "line_items:[map[price_data:map[currency:usd product_data:map[name:Tollgate credits] unit_amount:100] quantity:25]]",
      );
      expect(metadata).toMatchObject({ tollgate_target: `keys/${key.id}` });
      expect(await deliver(service.url, eventOf(session))).toMatchObject({ status: 200, body: { result: "funded" } });
      expect(await balance()).toBe(25);
    });

    test("is not created for a key that can't be topped up, for an odd amount, or without the token", async () => {
      await withOwnKey();
      const tokens = await makeKey("token_budget");
      const suspended = await makeKey("credit");
      await admin("POST", `keys/${suspended.id}/suspend`);
      const before = stripe?.output();

      expect(await checkout({ key: "tgc_00000000", credits: "25" })).toMatchObject({ status: 422 });
      expect(await checkout({ key: tokens.id, credits: "25" })).toMatchObject({ status: 422 });
      expect(await checkout({ key: suspended.id, credits: "25" })).toMatchObject({ status: 422 });
      for (const credits of ["0", "-1", "2.5", "1e3", "100000", ""])
        expect(await checkout({ key: key.id, credits }), credits).toMatchObject({ status: 400 });
      expect(await checkout({ key: "../accounts", credits: "25" })).toMatchObject({ status: 422 });
      expect(await checkout({ credits: "25" })).toMatchObject({ status: 400 });
      expect(await checkout({ key: key.id, account: "Acme", credits: "25" })).toMatchObject({ status: 400 });
      expect(await checkout({ key: key.id, credits: "25" }, { token: "guessed" })).toMatchObject({ status: 401 });
      expect(stripe?.output()).toBe(before);
    });

    test("for an account with a purse, which keys below it then spend, is booked to the account", async () => {
      const { team, path, person } = await makeTree();

      expect(await checkout({ account: path, credits: "25" })).toMatchObject({
        status: 422,
        body: { error: expect.stringContaining("without purse") },
      });
      await admin("POST", `accounts/${team}/topups`, { amount: "5", kind: "grant", reference: "opening" });
      const created = await checkout({ account: path, credits: "25" });
      key = person;
      const { intent, session } = paidSession({ metadata: metadataOf(stripe?.output() ?? "") });
      const event = eventOf(session);

      expect(created).toMatchObject({ status: 200, body: { target: `accounts/${team}` } });
      expect(await deliver(service.url, event)).toMatchObject({ status: 200, body: { result: "funded" } });
      expect(await deliver(service.url, event)).toMatchObject({ status: 200, body: { result: "already" } });
      expect(service.output()).toContain(`"reference":"stripe:${intent}"`);
      expect(await balance()).toBe(30);
    });

    test("is not created for a key that an account pays for, nor for a suspended account", async () => {
      const { team, person } = await makeTree();
      await admin("POST", `accounts/${team}/topups`, { amount: "5", kind: "grant", reference: "opening" });

      expect(await checkout({ key: person.id, credits: "25" })).toMatchObject({
        status: 422,
        body: { error: expect.stringContaining("Account Search pays") },
      });
      await admin("POST", `accounts/${team}/suspend`);
      expect(await checkout({ account: team, credits: "25" })).toMatchObject({ status: 422 });
      await admin("POST", `accounts/${team}/resume`);
    });

    test("gets 502 with Stripe's message, which may quote the secret key, without the key", async () => {
      await withOwnKey();
      const wrongKey = "a_wrong_stripe_key";
      const mistaken = await startService({ STRIPE_SECRET_KEY: wrongKey });

      const { status, body } = await checkout({ key: key.id, credits: "25" }, { url: mistaken.url });

      expect({ status, error: body.error }).toEqual({ status: 502, error: expect.stringContaining("authenticate") });
      expect(`${body.error} ${mistaken.output()}`).not.toContain(wrongKey);
    });
  });

  test("does not start with an empty secret, and its log has no secret in it", async () => {
    for (const name of ["STRIPE_WEBHOOK_SECRET", "STRIPE_SECRET_KEY", "TOLLGATE_ADMIN_TOKEN", "TOPUP_TOKEN"])
      await expect(startService({ [name]: "" })).rejects.toThrow(`${name} is not set`);

    for (const secret of [WEBHOOK_SECRET, STRIPE_KEY, TOP_UP_TOKEN, ADMIN_TOKEN])
      expect(service.output()).not.toContain(secret);
  });
});

/** What the last session that stripe-mock was asked for says about itself. */
function metadataOf(output: string): Record<string, string> {
  const asked = output.split("Request: POST /v1/checkout/sessions").at(-1) ?? "";
  const [, terms = ""] = / metadata:map\[([^\]]+)\]/.exec(asked) ?? [];
  return Object.fromEntries(terms.split(" ").map((term) => term.split(":"))) as Record<string, string>;
}

/** A way to a port that carries the question and keeps the answer. */
async function linkTo(port: number): Promise<{ url: string; answered: Promise<unknown>; close: () => void }> {
  const { promise: answered, resolve } = Promise.withResolvers<unknown>();
  const server = createServer((client) => {
    const backend = connect(port, "127.0.0.1");
    for (const socket of [client, backend]) socket.on("error", () => undefined);
    client.on("close", () => backend.destroy());
    client.pipe(backend);
    backend.once("data", resolve);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, answered, close: () => server.close() };
}
