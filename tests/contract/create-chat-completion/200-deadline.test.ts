import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { until } from "../../support/until.ts";
import { eventsOf, openChatStream, readAll } from "../../support/sse-client.ts";
import { readUsage } from "../get-usage/read-usage.ts";
import { chargesOf, issueKey, spentToday } from "../operator.ts";

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({
    models: { endless: { upstream: "sim+tokens=100000+rate=100" } },
    settings: { TOLLGATE_LIMITS_STREAM_DEADLINE_MS: "1500" },
  });
});
afterAll(() => gateway.stop());

test("a stream that its deadline ends is told as a failure, charged as if its caller had left, and recorded [STR-13] [STR-14] [STR-23] [MON-30] [MON-31]", async () => {
  const key = await issueKey(gateway, { credit: "1" });
  const open = (secret: string) => openChatStream({ url: gateway.publicUrl, key: secret, model: "endless" });
  // The first request of a process takes a busy machine longer than the deadline.
  await until(async () => {
    const { request, status } = await open(gateway.keys.credit);
    request.destroy();
    return status === 200;
  }, "a stream begins");
  const startedMs = performance.now();
  const { response } = await open(key.secret);
  const { text, broken } = await readAll(response);
  const tookMs = performance.now() - startedMs;
  const events = eventsOf(text);
  const [charge] = await chargesOf(gateway, key);

  expect(broken).toBe(false);
  expect(tookMs).toBeGreaterThan(1_400);
  expect(JSON.parse(events.at(-1) ?? "")).toMatchObject({ error: { code: "upstream_error", type: "api_error" } });
  expect(text).not.toContain("[DONE]");
  expect(charge).toMatchObject({ kind: "timed_out" });
  // One event is the role and one the error; the words between them are a token each, as the tokenizer sees them.
  expect(charge?.output_tokens).toBeGreaterThan((events.length - 2) * 0.7);
  expect(charge?.output_tokens).toBeLessThan((events.length - 2) * 2);
  expect((await readUsage(gateway, key.secret)).credits).toMatchObject({ reserved: 0, used: -Number(charge?.amount) });
  expect(await spentToday(gateway, key)).toMatchObject({ requests: 1, cut_off: 0 });
});
