/** Sells credit through Stripe Checkout: creates sessions, and books every paid one in Tollgate as a purchase. See README.md. */
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

const TOLERANCE_S = 300;
const TIMEOUT_MS = 10_000;
const LARGEST_BODY_BYTES = 1_048_576;

/** An empty secret would accept anything, so it counts as missing. */
function setting(name: string, preset = ""): string {
  const value = process.env[name] || preset;
  if (value === "") throw new Error(`${name} is not set. README.md lists the settings.`);
  return value;
}
const [stripeUrl, stripeKey] = [setting("STRIPE_API_URL", "https://api.stripe.com"), setting("STRIPE_SECRET_KEY")];
const webhookSecret = setting("STRIPE_WEBHOOK_SECRET");
const tollgateUrl = setting("TOLLGATE_ADMIN_URL", "http://127.0.0.1:8081");
const tollgateToken = setting("TOLLGATE_ADMIN_TOKEN");
const [topUpToken, returnUrl] = [setting("TOPUP_TOKEN"), setting("RETURN_URL")];
/** The price is in the smallest unit of the currency, so it has no fraction. */
const [currency, pricePerCredit] = [
  setting("CURRENCY", "usd").toLowerCase(),
  Number(setting("PRICE_PER_CREDIT", "100")),
];
if (!Number.isSafeInteger(pricePerCredit) || pricePerCredit < 1)
  throw new Error("PRICE_PER_CREDIT: expected a whole number of at least 1, such as 100 for 1.00 USD.");

/** A response other than 200. */
class Refusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
type Session = Record<"id" | "payment_status" | "currency" | "payment_intent", string | null> & {
  amount_total: number | null;
  metadata: Record<string, string> | null;
};
type Counter = { kind: string; account_id: string | null; holder: string | null };
type StripeAnswer = { id?: string; url?: string; error?: { message: string } };

const log = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
const same = (left: Buffer, right: Buffer): boolean => left.length === right.length && timingSafeEqual(left, right);

/** Stripe signs `<seconds>.<body>`. The header has a v1 for each secret while the secret is being rolled. */
function isSigned(body: Buffer, header: string): boolean {
  const parts = header.split(",").map((part) => part.trim().split("="));
  const seconds = parts.find(([name]) => name === "t")?.[1] ?? "";
  if (!/^\d+$/.test(seconds) || Math.abs(Date.now() / 1_000 - Number(seconds)) > TOLERANCE_S) return false;
  const expected = createHmac("sha256", webhookSecret).update(`${seconds}.`).update(body).digest();
  return parts.some(([name, value = ""]) => name === "v1" && same(Buffer.from(value, "hex"), expected));
}

/** A refusal of the admin API (400, 404, 409) is final. After anything else, a repeat may succeed. */
async function askTollgate<Answer>(path: string, body?: object): Promise<Answer> {
  const response = await fetch(`${tollgateUrl}/admin/v1/${path}`, {
    headers: { authorization: `Bearer ${tollgateToken}`, "content-type": "application/json" },
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
  }).catch(() => null);
  const answer = (await response?.json().catch(() => null)) as (Answer & { error?: { message: string } }) | null;
  if (response?.ok && answer) return answer;
  const isFinal = [400, 404, 409].includes(response?.status ?? 0);
  const reason = answer?.error?.message ?? response?.status ?? "no response";
  throw new Refusal(isFinal ? 422 : 503, `Tollgate at ${tollgateUrl}: ${reason}`);
}

/** The path in the admin API that takes the top-up. What cannot be topped up is refused before anybody pays. */
async function findTarget(order: URLSearchParams): Promise<string> {
  const [key, account] = [order.get("key") ?? "", order.get("account") ?? ""];
  if ((key === "") === (account === "")) throw new Refusal(400, "Send either key or account.");
  return key === "" ? findAccount(account) : findKey(key);
}

async function findKey(name: string): Promise<string> {
  const path = `keys/${encodeURIComponent(name)}`;
  const { key } = await askTollgate<{ key: Record<"id" | "mode" | "status", string> }>(path);
  if (key.mode !== "credit" || key.status !== "active")
    throw new Refusal(422, `Key ${name} is ${key.status}, mode ${key.mode}. Only active credit keys can be topped up.`);
  const { counters } = await askTollgate<{ counters: Counter[] }>(`${path}/funds`);
  const payer = counters.find(({ kind, account_id }) => kind === "purse" && account_id !== null);
  if (payer) throw new Refusal(422, `Account ${payer.holder} pays for key ${name}. Top up the account instead.`);
  return `keys/${key.id}`;
}

/** The first top-up of an account opens its purse, which may be refused. So an operator makes it, and no customer. */
async function findAccount(name: string): Promise<string> {
  const path = `accounts/${encodeURIComponent(name)}`;
  const { account } = await askTollgate<{ account: { id: string; state: string; counters: Counter[] } }>(path);
  const hasPurse = account.counters.some(({ kind }) => kind === "purse");
  if (account.state === "active" && hasPurse) return `accounts/${account.id}`;
  throw new Refusal(
    422,
    `Account ${name} is ${account.state}, ${hasPurse ? "with a" : "without"} purse. Not topped up.`,
  );
}

async function createSession(order: URLSearchParams): Promise<object> {
  const credits = order.get("credits") ?? "";
  if (!/^[1-9]\d{0,4}$/.test(credits)) throw new Refusal(400, "credits: expected a whole number from 1 to 99,999.");
  const target = await findTarget(order);
  const terms = { target, credits, amount: String(Number(credits) * pricePerCredit), currency };
  const body = new URLSearchParams({
    mode: "payment",
    success_url: returnUrl,
    "adaptive_pricing[enabled]": "false",
    "line_items[0][quantity]": credits,
    "line_items[0][price_data][unit_amount]": String(pricePerCredit),
    "line_items[0][price_data][currency]": currency,
    "line_items[0][price_data][product_data][name]": "Tollgate credits",
  });
  for (const [name, value] of Object.entries(terms)) {
    body.set(`metadata[tollgate_${name}]`, value);
    body.set(`payment_intent_data[metadata][tollgate_${name}]`, value);
  }
  const [headers, signal] = [{ authorization: `Bearer ${stripeKey}` }, AbortSignal.timeout(TIMEOUT_MS)];
  const asked = fetch(`${stripeUrl}/v1/checkout/sessions`, { method: "POST", headers, body, signal });
  const session = (await asked.then((response) => response.json()).catch(() => null)) as StripeAnswer | null;
  const problem =
    session?.error?.message.replaceAll(stripeKey, "[STRIPE_SECRET_KEY]") ?? `no response from ${stripeUrl}`;
  if (!session?.url) throw new Refusal(502, `Stripe: ${problem}`);
  return { result: "created", session: session.id, url: session.url, ...terms };
}

/** Returns after the booking is committed. Every delivery of one payment has the same reference, so it is booked once. */
async function receiveEvent(body: Buffer, signature: string): Promise<object> {
  if (!isSigned(body, signature)) throw new Refusal(400, `Wrong signature, or signed over ${TOLERANCE_S} s ago.`);
  const event = JSON.parse(body.toString()) as { id: string; type: string; data: { object: Session } };
  const ignored = { result: "ignored", event: event.id, type: event.type };
  if (!/^checkout\.session\.(completed|async_payment_succeeded)$/.test(event.type)) return ignored;
  const { id, payment_status, payment_intent, amount_total, currency: paidIn, metadata } = event.data.object;
  if (metadata?.["tollgate_target"] === undefined) return { ...ignored, reason: "not a top-up" };
  if (payment_status !== "paid") return { ...ignored, reason: "not paid yet" };
  const [target, credits] = [metadata["tollgate_target"], metadata["tollgate_credits"]];
  const price = `${metadata["tollgate_amount"]} ${metadata["tollgate_currency"]}`;
  const isSold = price === `${amount_total} ${paidIn}` && /^(keys|accounts)\/[\w-]+$/.test(target);
  if (!isSold)
    throw new Refusal(422, `${id}: paid ${amount_total} ${paidIn}, price ${price} for ${target}. Not booked.`);
  const booking = { amount: credits, kind: "purchase", reference: `stripe:${payment_intent ?? id}` };
  const { result } = await askTollgate<{ result?: string }>(`${target}/topups`, booking);
  if (result !== "funded" && result !== "already") throw new Refusal(503, "Tollgate did not confirm the booking.");
  return { result, event: event.id, session: id, target, ...booking };
}

async function respond(request: IncomingMessage): Promise<object> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    if ((bytes += chunk.length) > LARGEST_BODY_BYTES) throw new Refusal(413, `Limit: ${LARGEST_BODY_BYTES} bytes.`);
  }
  const [body, route] = [Buffer.concat(chunks), `${request.method} ${request.url}`];
  if (route === "POST /webhook") return receiveEvent(body, String(request.headers["stripe-signature"]));
  if (route !== "POST /checkout") throw new Refusal(404, "Send POST /checkout or POST /webhook.");
  const isAllowed = same(Buffer.from(String(request.headers.authorization)), Buffer.from(`Bearer ${topUpToken}`));
  if (!isAllowed) throw new Refusal(401, "Send TOPUP_TOKEN as a bearer token.");
  return createSession(new URLSearchParams(body.toString()));
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { status, ...said } = await respond(request).then(
    (result) => ({ status: 200, ...result }),
    (error: Error) => ({ status: error instanceof Refusal ? error.status : 500, error: error.message }),
  );
  log({ status, ...said });
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(said));
}

const server = createServer({ requestTimeout: TIMEOUT_MS }, (request, response) => void serve(request, response));
server.listen(Number(setting("PORT", "8090")), setting("HOST", "127.0.0.1"), () => {
  const { address, port } = server.address() as AddressInfo;
  log({ message: "listening", url: `http://${address}:${port}` });
});
process.once("SIGTERM", () => server.close());
