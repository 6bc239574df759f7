import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { openChatStream, readAll } from "../../support/sse-client.ts";
import { expectRefusal } from "../knock.ts";
import { askUsage } from "./read-usage.ts";

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({
    models: { waiting: { upstream: "sim+tokens=4+pause=2" } },
    settings: { TOLLGATE_LIMITS_OPEN_REQUESTS: "1" },
  });
});
afterAll(() => gateway.stop());

test("a gateway that has no room says so, and when to come back [USG-32] [USG-33] [ERR-24] [HDR-4] [HDR-5]", async () => {
  const { credit: key } = gateway.keys;
  const held = await openChatStream({ url: gateway.publicUrl, key, model: "waiting" });
  await once(held.response, "readable");
  const reply = await askUsage(gateway, key);
  await gateway.release();
  await readAll(held.response);

  expectRefusal(reply, { status: 503, code: "service_unavailable", type: "api_error", retry: "unsaid" });
  expect(reply.headers["retry-after"]).toMatch(/^([1-9]|10)$/);
  expect((await askUsage(gateway, key)).status).toBe(200);
});
