import { once } from "node:events";
import { request as openRequest, type IncomingMessage } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { JSON_TYPE } from "../create-chat-completion/ask.ts";
import { bearer, knock, type Reply, requestIdOf } from "../knock.ts";
import { issueKey } from "../operator.ts";
import { askUsage } from "./read-usage.ts";

const LONGEST_WAIT_SECONDS = 60;

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({
    models: {
      chat: { upstream: "sim" },
      responses: { upstream: "sim", dialect: "responses" },
      messages: { upstream: "sim", dialect: "messages" },
    },
    settings: { TOLLGATE_CREDIT_USD: "0.25" },
  });
});
afterAll(() => gateway.stop());

function expectOverRate(reply: Reply): void {
  expect({ status: reply.status, body: JSON.parse(reply.text) as unknown }).toEqual({
    status: 429,
    body: {
      error: {
        message: expect.stringMatching(
          /^Rate limit reached: \d+ requests? per minute\. Please try again in \d+s\.$/,
        ) as string,
        type: "rate_limit_error",
        code: "rate_limit_exceeded",
        param: null,
        request_id: requestIdOf(reply),
      },
    },
  });
  expect(reply.headers["x-should-retry"]).toBe("true");
  expect(reply.headers["retry-after"]).toMatch(/^[1-9]\d*$/);
  expect(Number(reply.headers["retry-after"])).toBeLessThanOrEqual(LONGEST_WAIT_SECONDS);
}

test("the limit that is shown is the limit that is enforced [USG-11] [USG-32] [USG-33] [LIM-1] [ERR-11] [HDR-13]", async () => {
  const { secret } = await issueKey(gateway, { rpm_limit: 3 });
  for (let made = 0; made < 3; made++) {
    const reply = await askUsage(gateway, secret);
    expect({ made, status: reply.status }).toEqual({ made, status: 200 });
    expect(JSON.parse(reply.text)).toMatchObject({ key: { rpm_limit: 3 } });
  }

  expectOverRate(await askUsage(gateway, secret));
});

test("of many that come at once no more are let in than the limit [LIM-1]", async () => {
  const { secret } = await issueKey(gateway, { rpm_limit: 5 });
  const replies = await Promise.all(Array.from({ length: 30 }, () => askUsage(gateway, secret)));

  expect(replies.filter(({ status }) => status === 200)).toHaveLength(5);
  expect(replies.filter(({ status }) => status === 429)).toHaveLength(25);
});

test("every route counts, and together they have one limit, of which each says what is left [LIM-2] [ORD-12] [HDR-16]", async () => {
  const say = { messages: [{ role: "user", content: "Hello" }], max_tokens: 9 };
  const routes: [path: string, body: object | null][] = [
    ["/v1/models", null],
    ["/v1/usage", null],
    ["/v1/chat/completions", { model: "chat", ...say }],
    ["/v1/responses", { model: "responses", input: "Hello", max_output_tokens: 16 }],
    ["/v1/messages", { model: "messages", ...say }],
    ["/v1/messages/count_tokens", { model: "messages", messages: say.messages }],
  ];
  const { secret } = await issueKey(gateway, { credit: "1", rpm_limit: routes.length });
  let left = routes.length - 1;
  for (const [path, body] of routes) {
    const post = body === null ? {} : { method: "POST", body: JSON.stringify(body) };
    const reply = await knock(`${gateway.publicUrl}${path}`, { headers: [...bearer(secret), ...JSON_TYPE], ...post });
    expect({ path, status: reply.status }).toEqual({ path, status: 200 });
    expect(reply.headers["x-ratelimit-remaining-requests"]).toBe(String(left--));
    expect(reply.headers["x-ratelimit-reset-requests"]).toMatch(/^\d+s$/);
  }

  expectOverRate(await askUsage(gateway, secret));
});

test("a key without a limit is never over it [LIM-3]", async () => {
  const { secret } = await issueKey(gateway);
  const statuses = new Set<number>();
  for (let round = 0; round < 13; round++) {
    const replies = await Promise.all(Array.from({ length: 10 }, () => askUsage(gateway, secret)));
    for (const { status } of replies) statuses.add(status);
  }

  expect([...statuses]).toEqual([200]);
});

test("a key over its rate is refused while it still holds its body back [ORD-3]", async () => {
  const { secret } = await issueKey(gateway, { credit: "1", rpm_limit: 1 });
  await askUsage(gateway, secret);
  expectOverRate(await askUsage(gateway, secret));

  const request = openRequest(`${gateway.publicUrl}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json", "content-length": "1000" },
    agent: false,
  });
  request.on("error", () => undefined);
  request.flushHeaders();
  const [response] = (await once(request, "response")) as [IncomingMessage];
  request.destroy();

  expect(response.statusCode).toBe(429);
});

test("whose key it is and where it belongs is told before that it is over its rate [ORD-2]", async () => {
  const { secret } = await issueKey(gateway, { rpm_limit: 1 });
  await askUsage(gateway, secret);
  expectOverRate(await askUsage(gateway, secret));

  expect((await askUsage(gateway, secret, "/token")).status).toBe(401);
});

test("asking again while over the rate does not make the wait longer [LIM-4]", async () => {
  const { secret } = await issueKey(gateway, { rpm_limit: 1 });
  await askUsage(gateway, secret);
  const waits: number[] = [];
  for (let more = 0; more < 20; more++) waits.push(Number((await askUsage(gateway, secret)).headers["retry-after"]));

  expect(waits).toEqual(waits.toSorted((one, other) => other - one));
});

test("a credit is worth what the operator says [USG-21]", async () => {
  const { secret } = await issueKey(gateway, { credit: "3.000000002" });

  expect(JSON.parse((await askUsage(gateway, secret)).text)).toMatchObject({
    credits: { remaining: 3.000000002, remaining_usd: 0.75 },
  });
});
