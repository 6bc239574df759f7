import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { openChatStream, readAll } from "../../support/sse-client.ts";
import { bearer, expectRefusal, knock, type Reply } from "../knock.ts";
import { ask, EVERYDAY } from "./ask.ts";

const FULL = { status: 503, code: "service_unavailable", type: "api_error", retry: "unsaid" } as const;

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({
    models: { ...EVERYDAY, waiting: { upstream: "sim+tokens=4+pause=2" } },
    settings: { TOLLGATE_LIMITS_OPEN_REQUESTS: "1" },
  });
});
afterAll(() => gateway.stop());

const secondsOf = (reply: Reply): number => {
  expect(reply.headers["retry-after"]).toMatch(/^\d+$/);
  return Number(reply.headers["retry-after"]);
};

test("past its bound of open requests the gateway refuses at once, and serves again when there is room [ERR-24] [HDR-4] [HDR-5]", async () => {
  const { credit: key } = gateway.keys;
  const held = await openChatStream({ url: gateway.publicUrl, key, model: "waiting" });
  await once(held.response, "readable");

  const chat = await ask(gateway);
  const models = await knock(`${gateway.publicUrl}/v1/models`, { headers: bearer(key) });
  for (const reply of [chat, models]) {
    expectRefusal(reply, FULL);
    expect(secondsOf(reply)).toBeGreaterThanOrEqual(1);
    expect(secondsOf(reply)).toBeLessThanOrEqual(10);
  }
  expect((await knock(`${gateway.publicUrl}/livez`)).status).toBe(200);

  await gateway.release();
  expect((await readAll(held.response)).text).toMatch(/data: \[DONE\]\n\n$/);
  expect((await ask(gateway)).status).toBe(200);
});

test("the advice differs from refusal to refusal, so that callers do not come back together [HDR-9]", async () => {
  const { credit: key } = gateway.keys;
  const held = await openChatStream({ url: gateway.publicUrl, key, model: "waiting" });
  const advice = new Set<number>();
  for (let round = 0; round < 60; round++) advice.add(secondsOf(await ask(gateway)));
  await gateway.release();
  await readAll(held.response);

  expect(advice.size).toBeGreaterThan(1);
});
