import { setTimeout as sleep } from "node:timers/promises";
import { once } from "node:events";
import { request as openRequest } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { openChatStream, readAll } from "../../support/sse-client.ts";
import { until } from "../../support/until.ts";
import { readUsage } from "../get-usage/read-usage.ts";
import { bearer } from "../knock.ts";
import { chargesOf, issueKey, type IssuedKey, operate, spentToday } from "../operator.ts";
import { ask, JSON_TYPE, MESSAGES } from "./ask.ts";

const models = {
  endless: { upstream: "sim+tokens=100000+rate=100" },
  failing: { upstream: "sim+input=10+tokens=200+fail=error@60" },
  waiting: { upstream: "sim+input=100+tokens=50+pause=2" },
  silent: { upstream: "sim+ttft=60000" },
};

const settings = { TOLLGATE_LEDGER_WRITE_OFF_CAP: "0.0005", TOLLGATE_LEDGER_WRITE_OFF_CAP_TOKENS: "500" };

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({ models, settings });
});
afterAll(() => gateway.stop());

/** How the provider saw its last call of a model end. */
const endOf = async (model: keyof typeof models): Promise<string | null | undefined> =>
  (await gateway.witness()).findLast((call) => call.model === models[model].upstream)?.ended;

/** Asks, for a plain answer unless it says otherwise, and leaves as soon as the provider has been asked. */
async function leaveEarly(
  model: keyof typeof models,
  key: IssuedKey,
  {
    headers = {},
    fields = {},
    origin = "",
    times = 1,
    staysMs = 0,
  }: {
    headers?: Record<string, string>;
    fields?: object;
    origin?: "" | "/token";
    times?: number;
    staysMs?: number;
  } = {},
): Promise<string> {
  const body = JSON.stringify({ model, messages: MESSAGES, max_tokens: 100, ...fields });
  const calls = (await gateway.witness()).length;
  const requests = Array.from({ length: times }, () => {
    const request = openRequest(`${gateway.publicUrl}${origin}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key.secret}`, "content-type": "application/json", ...headers },
      agent: false,
    });
    request.on("error", () => undefined);
    return request.end(body);
  });
  await until(async () => (await gateway.witness()).length === calls + times, "the provider is asked");
  await sleep(staysMs);
  for (const request of requests) request.destroy();
  return body;
}

test("closing the connection is enough: the provider is stopped, and what was delivered is charged [CAN-1] [CAN-2] [CAN-3] [CAN-7] [CAN-8]", async () => {
  const key = await issueKey(gateway, { credit: "1" });
  const { request, response } = await openChatStream({ url: gateway.publicUrl, key: key.secret, model: "endless" });
  await once(response, "data");
  request.destroy();
  await until(async () => (await chargesOf(gateway, key)).length === 1, "it is charged");
  const [charge] = await chargesOf(gateway, key);
  const { credits, tokens } = await readUsage(gateway, key.secret);

  expect(await endOf("endless")).toBe("caller_gone");
  expect(charge?.kind).toBe("client_gone");
  expect(credits.used).toBeGreaterThan(0);
  expect(String(-credits.used)).toBe(String(Number(charge?.amount)));
  expect(credits).toMatchObject({ reserved: 0, today_spend: credits.used, lifetime_spend: credits.used });
  expect(tokens).toMatchObject({ input: charge?.input_tokens, output: charge?.output_tokens });
});

test("a cancelled stream is no finished request: no record, no count, no last cost [CAN-6] [CAN-9]", async () => {
  const key = await issueKey(gateway, { credit: "1" });
  const { request, response } = await openChatStream({ url: gateway.publicUrl, key: key.secret, model: "endless" });
  await once(response, "data");
  request.destroy();
  await until(async () => (await chargesOf(gateway, key)).length === 1, "it is charged");
  const { credits, requests } = await readUsage(gateway, key.secret);

  expect(await spentToday(gateway, key)).toMatchObject({ requests: 1, cut_off: 1 });
  expect({ ...requests, cost: credits.last_request_cost }).toEqual({ total: 0, cost: 0 });
});

test.each([
  { order: { credit: "1" }, origin: "", price: 1e-6 },
  { order: { mode: "token_budget", budget: 10_000 }, origin: "/token", price: 1 },
] as const)(
  "who leaves before the provider answered pays nothing, until the house has paid enough for that key, and then the input: $order [CAN-10]",
  async ({ order, origin, price }) => {
    const key = await issueKey(gateway, order);
    // Some 300 tokens of input each time: the second passes the cap of 500,000 nano-credits, and of 500 tokens.
    const messages = [{ role: "user", content: "word ".repeat(300) }];
    for (let left = 0; left < 2; left++) {
      await leaveEarly("silent", key, { fields: { messages, max_tokens: 10, stream: true }, origin });
      await until(async () => (await chargesOf(gateway, key)).length === left + 1, "it is ended");
    }
    const [second, first] = await chargesOf(gateway, key);
    const { key: now } = await operate<{ key: { status: string } }>(gateway, `GET /keys/${key.id}`);

    expect(first).toMatchObject({ kind: "client_gone", amount: "0", input_tokens: 0 });
    expect(second).toMatchObject({ kind: "client_gone", output_tokens: 0 });
    expect(Math.abs(Number(second?.amount)) / price).toBeCloseTo(second?.input_tokens ?? 0, 6);
    expect(second?.input_tokens).toBeGreaterThanOrEqual(300);
    expect(second?.input_tokens).toBeLessThan(320);
    expect(now.status).toBe("active");
  },
);

test("a key for which providers may have written more than the cap after it left is suspended, and the operator is told [CAN-11] [CAN-12]", async () => {
  const key = await issueKey(gateway, { credit: "1" });
  // The cap of 500,000 nano-credits is 125 tokens of output, which a route of unknown pace is taken to write in two seconds.
  await leaveEarly("silent", key, { fields: { max_tokens: 1_000 }, staysMs: 2_500 });
  const isSuspended = async (): Promise<boolean> =>
    (await operate<{ key: { status: string } }>(gateway, `GET /keys/${key.id}`)).key.status === "suspended";
  await until(isSuspended, "the key is suspended");
  const told = /tollgate_money_alarms_total\{kind="key_suspended"\} 1/;
  await until(async () => told.test(await gateway.metrics()), "the operator is told");
});

test("twelve that leave at once before the provider answered together cost the house no more than the cap [CAN-10]", async () => {
  const key = await issueKey(gateway, { credit: "1" });
  const messages = [{ role: "user", content: "word ".repeat(300) }];
  const fields = { messages, max_tokens: 10, stream: true };
  await leaveEarly("silent", key, { fields, times: 12 });
  await until(async () => (await chargesOf(gateway, key)).length === 12, "all are ended");
  const charges = await chargesOf(gateway, key);

  expect(charges.filter(({ amount }) => amount === "0")).toHaveLength(1);
});

test("a plain request that is left is stopped at the provider and pays its input [CAN-13]", async () => {
  const key = await issueKey(gateway, { credit: "1" });
  await leaveEarly("waiting", key);
  await until(async () => (await chargesOf(gateway, key)).length === 1, "it is ended");

  expect(await endOf("waiting")).toBe("caller_gone");
  expect(await chargesOf(gateway, key)).toMatchObject([{ kind: "client_gone", output_tokens: 0 }]);
});

test("a plain request that is left before the provider answered pays its input, too [CAN-13]", async () => {
  const key = await issueKey(gateway, { credit: "1" });
  await leaveEarly("silent", key, { fields: { messages: [{ role: "user", content: "word ".repeat(300) }] } });
  await until(async () => (await chargesOf(gateway, key)).length === 1, "it is ended");
  const [charge] = await chargesOf(gateway, key);

  expect(await endOf("silent")).toBe("caller_gone");
  expect(charge).toMatchObject({ kind: "client_gone", output_tokens: 0 });
  expect(-Number(charge?.amount)).toBeGreaterThan(0.00029);
});

test("what was delivered before the provider failed is free until the house has paid enough for that key, and then charged [MON-32] [MON-42]", async () => {
  const key = await issueKey(gateway, { credit: "1" });
  for (let failed = 0; failed < 2; failed++) {
    const { response } = await openChatStream({ url: gateway.publicUrl, key: key.secret, model: "failing" });
    await readAll(response);
  }
  const [second, first] = await chargesOf(gateway, key);

  expect(first).toMatchObject({ kind: "upstream_failed", amount: "0" });
  // Sixty words, a token or two each, at 4,000 nano-credits each, and the input.
  expect(second).toMatchObject({ kind: "upstream_failed" });
  expect(-Number(second?.amount)).toBeGreaterThanOrEqual(0.00024);
  expect(-Number(second?.amount)).toBeLessThan(0.0005);
});

test("with an Idempotency-Key it runs on, is charged and recorded, and kept for the retry [CAN-14] [CAN-15] [RTY-1]", async () => {
  const key = await issueKey(gateway, { credit: "1" });
  const body = await leaveEarly("waiting", key, { headers: { "idempotency-key": "kept" } });
  await gateway.release();
  await until(async () => (await chargesOf(gateway, key)).length === 1, "it is charged");
  const calls = (await gateway.witness()).length;
  const again = await ask(gateway, JSON.parse(body) as object, [
    ...bearer(key.secret),
    ...JSON_TYPE,
    "idempotency-key",
    "kept",
  ]);

  expect(await endOf("waiting")).toBe("completed");
  expect(await chargesOf(gateway, key)).toMatchObject([{ kind: "completed", amount: "-0.0003" }]);
  expect(await spentToday(gateway, key)).toMatchObject({ requests: 1, cut_off: 0 });
  expect(again).toMatchObject({ status: 200, headers: { "idempotent-replayed": "true" } });
  expect(await gateway.witness()).toHaveLength(calls);
});
