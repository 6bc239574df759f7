import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { openChatStream, readAll } from "../../support/sse-client.ts";
import { ask, JSON_TYPE } from "../create-chat-completion/ask.ts";
import { bearer, knock, requestIdOf } from "../knock.ts";
import { issueKey, operate } from "../operator.ts";
import { askUsage, CREDIT_FIGURES, readUsage } from "./read-usage.ts";

let gateway: GatewayProcess;
/** Made once for tests that only read, and once for those that spend. */
let idle: { credit: string; tokens: string };
let busy: { credit: string; tokens: string };

beforeAll(async () => {
  gateway = await startGatewayProcess({
    models: {
      // A hundred tokens in and fifty out: 100 × 1,000 + 50 × 4,000 nano-credits.
      measured: { upstream: "sim+input=100+tokens=50" },
      waiting: { upstream: "sim+input=100+tokens=50+pause=2" },
    },
  });
  const budget = { mode: "token_budget", budget: 5_000 } as const;
  const [quietCredit, quietTokens, busyCredit, busyTokens] = await Promise.all([
    issueKey(gateway, { credit: "1", label: "Ann's laptop", provider_scope: "simulator", rpm_limit: 90 }),
    issueKey(gateway, budget),
    issueKey(gateway, { credit: "1" }),
    issueKey(gateway, budget),
  ]);
  idle = { credit: quietCredit.secret, tokens: quietTokens.secret };
  busy = { credit: busyCredit.secret, tokens: busyTokens.secret };
});
afterAll(() => gateway.stop());

const COST = 0.0003;

const askFor = (key: string, model: string) => {
  const path = key.startsWith("tgt_") ? "/token/v1/chat/completions" : "/v1/chat/completions";
  const body = JSON.stringify({ model, max_tokens: 100, messages: [{ role: "user", content: "Hello" }] });
  return knock(`${gateway.publicUrl}${path}`, { method: "POST", headers: [...bearer(key), ...JSON_TYPE], body });
};

describe.each(["credit", "tokens"] as const)("of a %s key", (kind) => {
  test("the summary has the fields that are listed and no others [USG-1] [USG-2] [USG-3] [USG-4] [USG-5] [USG-12] [USG-13]", async () => {
    const summary = await readUsage(gateway, idle[kind]);

    expect(Object.keys(summary).sort()).toEqual(["credits", "explanation", "key", "object", "requests", "tokens"]);
    expect(summary.object).toBe("usage.summary");
    expect(summary.explanation).toMatch(/\S/);
    expect(summary.requests).toEqual({ total: 0 });
    expect(Object.keys(summary.key).sort()).toEqual(
      ["label", "mode", "prefix", "provider_scope", "rpm_limit", "status"].sort(),
    );
    expect(Object.keys(summary.credits).sort()).toEqual([...CREDIT_FIGURES].sort());
    for (const figure of CREDIT_FIGURES) expect(summary.credits[figure]).toEqual(expect.any(Number));
    expect(Object.keys(summary.tokens).sort()).toEqual(
      ["budget", "input", "output", "remaining", "reserved", "total", "used"].sort(),
    );
  });

  test("tokens are whole numbers of at least 0, or null where nothing is limited [USG-14] [USG-15]", async () => {
    const { tokens } = await readUsage(gateway, idle[kind]);

    for (const [name, value] of Object.entries(tokens)) {
      if (value === null) expect(["budget", "remaining"]).toContain(name);
      else expect(Number.isInteger(value) && value >= 0).toBe(true);
    }
  });

  test("of the secret only the public prefix is shown [USG-6]", async () => {
    const reply = await askUsage(gateway, idle[kind], kind === "tokens" ? "/token" : "");
    const { key } = JSON.parse(reply.text) as { key: { prefix: string } };

    expect(key.prefix).toBe(idle[kind].slice(0, 12));
    expect(reply.text).not.toContain(idle[kind].slice(12));
    requestIdOf(reply);
  });
});

test("the key is shown as the operator made it [USG-7] [USG-8] [USG-9] [USG-10] [USG-11] [KEY-12]", async () => {
  expect((await readUsage(gateway, idle.credit)).key).toEqual({
    prefix: idle.credit.slice(0, 12),
    label: "Ann's laptop",
    status: "active",
    mode: "credit",
    provider_scope: "simulator",
    rpm_limit: 90,
  });
  expect((await readUsage(gateway, idle.tokens)).key).toEqual({
    prefix: idle.tokens.slice(0, 12),
    label: null,
    status: "active",
    mode: "token_budget",
    provider_scope: "all",
    rpm_limit: null,
  });
});

test("a finished answer is in the summary that is read next, to the last digit [USG-16] [USG-19] [USG-20] [USG-29] [MON-1] [MON-4] [MON-21]", async () => {
  expect((await askFor(busy.credit, "measured")).status).toBe(200);
  const first = await readUsage(gateway, busy.credit);
  expect((await askFor(busy.credit, "measured")).status).toBe(200);
  const { text } = await askUsage(gateway, busy.credit);
  const second = JSON.parse(text) as typeof first;

  expect(first.credits).toEqual({
    total_purchased: 1,
    balance: 0.9997,
    reserved: 0,
    used: COST,
    remaining: 0.9997,
    remaining_usd: 0.9997,
    last_request_cost: COST,
    today_spend: COST,
    lifetime_spend: COST,
  });
  expect(second.credits).toMatchObject({ balance: 0.9994, used: 0.0006, lifetime_spend: 0.0006, today_spend: 0.0006 });
  // Sums of doubles would end in …0001 somewhere.
  expect(text).toMatch(/"balance":0\.9994,/);
  expect(second.requests.total).toBe(2);
});

test("a credit key has no budget of tokens, and its tokens are those of its life [USG-24] [USG-25] [USG-26]", async () => {
  const before = (await readUsage(gateway, busy.credit)).tokens;
  await askFor(busy.credit, "measured");
  const after = (await readUsage(gateway, busy.credit)).tokens;

  expect(after).toEqual({
    budget: null,
    used: before.used + 150,
    reserved: 0,
    remaining: null,
    input: before.input + 100,
    output: before.output + 50,
    total: before.total + 150,
  });
  expect(after.used).toBe(after.total);
});

test("a token-budget key pays in tokens alone: its credits are all 0 [USG-22] [USG-23] [USG-24] [MON-28]", async () => {
  expect((await askFor(busy.tokens, "measured")).status).toBe(200);
  const { credits, tokens } = await readUsage(gateway, busy.tokens);

  for (const figure of CREDIT_FIGURES) expect(credits[figure]).toBe(0);
  expect(tokens).toEqual({
    budget: 5_000,
    used: 150,
    reserved: 0,
    remaining: 4_850,
    input: 100,
    output: 50,
    total: 150,
  });
});

test("while a request is in flight, what it holds is reserved and not remaining [USG-17] [USG-18] [USG-30] [MON-5] [MON-9]", async () => {
  const { secret: key } = await issueKey(gateway, { credit: "1" });
  const held = await openChatStream({ url: gateway.publicUrl, key, model: "waiting", body: { max_tokens: 100 } });
  await once(held.response, "readable");
  const reply = await askUsage(gateway, key);
  const { credits } = JSON.parse(reply.text) as { credits: Record<string, number> };
  await gateway.release();
  await readAll(held.response);
  const after = (await readUsage(gateway, key)).credits;

  // A hundred tokens out at 4,000 nano-credits, and the input by its bytes at 1,000 each.
  expect(credits["reserved"]).toBeGreaterThan(0.0004);
  expect(credits["reserved"]).toBeLessThan(0.0007);
  expect(credits).toMatchObject({ balance: 1, used: 0 });
  expect(credits["remaining"]).toBeCloseTo(1 - (credits["reserved"] ?? 0), 9);
  expect(reply.headers["x-service-credit-remaining"]).toBe(String(credits["remaining"]));
  expect(after).toMatchObject({ reserved: 0, used: COST, remaining: 0.9997 });
});

test("what remains of a token budget is the budget less what is used and what is reserved [USG-17] [USG-35]", async () => {
  const { id, secret: key } = await issueKey(gateway, { mode: "token_budget", budget: 5_000 });
  await askFor(key, "measured");
  const origin = { url: `${gateway.publicUrl}/token`, key };
  const held = await openChatStream({ ...origin, model: "waiting", body: { max_tokens: 100 } });
  await once(held.response, "readable");
  const { tokens } = await readUsage(gateway, key);
  await operate(gateway, `POST /keys/${id}/budget`, { budget: 200, reference: "cut" });
  const cut = (await readUsage(gateway, key)).tokens;
  await gateway.release();
  await readAll(held.response);

  expect(tokens).toMatchObject({ budget: 5_000, used: 150 });
  expect(tokens.reserved).toBeGreaterThan(100);
  expect(tokens.remaining).toBe(5_000 - 150 - tokens.reserved);
  expect(cut).toMatchObject({ budget: 200, used: 150, reserved: tokens.reserved, remaining: 0 });
});

test("an amount that no JSON number holds is exact in the header [USG-36]", async () => {
  const { secret: key } = await issueKey(gateway, { credit: "123456789.123456789" });
  const reply = await askUsage(gateway, key);
  const { credits } = JSON.parse(reply.text) as { credits: { balance: number } };

  expect(reply.headers["x-service-credit-remaining"]).toBe("123456789.123456789");
  expect(credits.balance).toBe(123_456_789.123_456_79);
});

test("the answer says in a header what is left, in the unit of the key and in no other [USG-30] [USG-31] [USG-34]", async () => {
  const credit = await askUsage(gateway, idle.credit);
  const tokens = await askUsage(gateway, idle.tokens, "/token");

  expect(credit.headers["x-service-credit-remaining"]).toBe("1");
  expect(credit.headers).not.toHaveProperty("x-ratelimit-remaining-tokens");
  expect(tokens.headers["x-ratelimit-remaining-tokens"]).toBe("5000");
  expect(tokens.headers).not.toHaveProperty("x-service-credit-remaining");
});

test("unless said otherwise a credit is worth a dollar [USG-21]", async () => {
  const { credits } = await readUsage(gateway, idle.credit);

  expect(credits.remaining_usd).toBe(credits.remaining);
});

test("reading the summary is no request, costs nothing and needs no balance [ORD-12]", async () => {
  const { secret: key } = await issueKey(gateway);
  await readUsage(gateway, key);
  const { credits, requests } = await readUsage(gateway, key);
  const models = await knock(`${gateway.publicUrl}/v1/models`, { headers: bearer(key) });

  expect({ ...credits, ...requests }).toMatchObject({ balance: 0, reserved: 0, used: 0, total: 0 });
  expect(models.status).toBe(200);
  expect((await ask(gateway, { model: "measured" }, [...bearer(key), ...JSON_TYPE])).status).toBe(402);
});
