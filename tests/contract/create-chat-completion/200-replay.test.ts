import { once } from "node:events";
import { type IncomingMessage, request as openRequest } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { until } from "../../support/until.ts";
import { readUsage } from "../get-usage/read-usage.ts";
import { bearer, type Reply, requestIdOf } from "../knock.ts";
import { chargesOf, issueKey, type IssuedKey } from "../operator.ts";
import { ask, JSON_TYPE, MESSAGES } from "./ask.ts";

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({
    models: {
      plain: { upstream: "sim+input=100+tokens=50" },
      refusing: { upstream: "sim+fail=500+failures=1" },
      strict: { upstream: "sim", maxOutputTokens: 8 },
      waiting: { upstream: "sim+input=100+tokens=50+pause=2" },
    },
  });
});
afterAll(() => gateway.stop());

const askUnder = (name: string, { secret }: IssuedKey, fields: object = {}): Promise<Reply> =>
  ask(gateway, { model: "plain", ...fields }, [...bearer(secret), ...JSON_TYPE, "idempotency-key", name]);

test.each([
  ["one character", "x"],
  ["255 characters", "k".repeat(255)],
  ["signs and blanks", "order 4711: ~!@#$%^&*()"],
])("an Idempotency-Key of %s is accepted and honoured [IDM-1] [IDM-2]", async (_name, name) => {
  const key = await issueKey(gateway, { credit: "1" });
  const first = await askUnder(name, key);
  const again = await askUnder(name, key);

  expect([first.status, again.status]).toEqual([200, 200]);
  expect(again.headers["idempotent-replayed"]).toBe("true");
});

test("however often it is repeated, a request is run once, charged once and counted once [IDM-13] [IDM-14] [RTY-1]", async () => {
  const key = await issueKey(gateway, { credit: "1" });
  const calls = (await gateway.witness()).length;
  const replies = [];
  for (let time = 0; time < 4; time++) replies.push(await askUnder("again", key));
  const { credits, requests } = await readUsage(gateway, key.secret);

  expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
  expect(new Set(replies.map(requestIdOf)).size).toBe(4);
  expect(await gateway.witness()).toHaveLength(calls + 1);
  expect({ used: credits.used, total: requests.total }).toEqual({ used: 0.0003, total: 1 });
  expect(await chargesOf(gateway, key)).toHaveLength(1);
});

test("the same header of another key is another claim, and nobody reads a stranger's answer [IDM-7]", async () => {
  const [one, other] = [await issueKey(gateway, { credit: "1" }), await issueKey(gateway, { credit: "1" })];
  await askUnder("same", one);
  const reply = await askUnder("same", other);

  expect(reply.status).toBe(200);
  expect(reply.headers).not.toHaveProperty("idempotent-replayed");
  expect((await readUsage(gateway, other.secret)).requests.total).toBe(1);
});

test("a request that was refused, or failed before content, leaves its header free for the next try [IDM-19] [RTY-5]", async () => {
  const key = await issueKey(gateway, { credit: "1" });
  const refused = await askUnder("free", key, { model: "strict", max_tokens: 9 });
  const failed = await askUnder("free", key, { model: "refusing" });
  const served = await askUnder("free", key, { model: "refusing" });

  expect([refused.status, failed.status, served.status]).toEqual([400, 502, 200]);
  expect(refused.text).toContain("max_tokens");
});

test("a request refused for money can be sent again under its header once there is some [IDM-19] [IDM-23]", async () => {
  const key = await issueKey(gateway);
  expect((await askUnder("poor", key)).status).toBe(402);
  await gateway.tollgate("topup", key.id, "1");

  expect((await askUnder("poor", key)).status).toBe(200);
});

test("whoever left a stream after its content began gets no second generation under the same header [RTY-2] [IDM-18]", async () => {
  const key = await issueKey(gateway, { credit: "1" });
  const fields = { model: "waiting", messages: MESSAGES, stream: true };
  const request = openRequest(`${gateway.publicUrl}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key.secret}`, "content-type": "application/json", "idempotency-key": "left" },
    agent: false,
  });
  request.end(JSON.stringify(fields));
  const [response] = (await once(request, "response")) as [IncomingMessage];
  await once(response, "data");
  request.destroy();
  await until(async () => (await chargesOf(gateway, key)).length === 1, "it is charged");
  const calls = (await gateway.witness()).length;
  const again = await askUnder("left", key, fields);

  expect(again.status).toBe(409);
  expect(JSON.parse(again.text)).toMatchObject({ error: { code: "idempotency_stream_interrupted" } });
  expect(await gateway.witness()).toHaveLength(calls);
  expect(await chargesOf(gateway, key)).toHaveLength(1);
});

test("of many that come at once under one header one is run; the others wait or are given its answer [IDM-15] [IDM-23] [RTY-1]", async () => {
  const key = await issueKey(gateway, { credit: "1" });
  const calls = (await gateway.witness()).length;
  const replies = await Promise.all(Array.from({ length: 12 }, () => askUnder("crowd", key)));
  const run = replies.filter(({ status, headers }) => status === 200 && headers["idempotent-replayed"] === undefined);

  expect(run).toHaveLength(1);
  for (const { status, text } of replies) {
    if (status === 200) expect(text).toBe(run[0]?.text);
    else expect({ status, code: codeOf(text) }).toEqual({ status: 409, code: "idempotency_in_progress" });
  }
  expect(await gateway.witness()).toHaveLength(calls + 1);
  expect(await chargesOf(gateway, key)).toHaveLength(1);
});

const codeOf = (text: string): string => (JSON.parse(text) as { error: { code: string } }).error.code;
