import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addressesOf, openProcessStage, type ProcessStage } from "../support/process-stage.ts";
import { until } from "../support/until.ts";

const LONG = process.env["TEST_LONG"] !== undefined;
const PROCESSES = LONG ? 8 : 3;
const DOWN_S = LONG ? 60 : 7;
const EVERY_MS = 250;
/** Five failures open the first breaker, three each other, and some are on their way; then one try in three seconds. Alone: five each, and a try each. */
const MOST_ASKED = 5 + 4 * (PROCESSES - 1) + DOWN_S / 2 + 4;

const ANSWER = JSON.stringify({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "Hello." }, finish_reason: "stop" }],
  usage: { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 },
});

type Gateway = { url: string; adminUrl: string };
type Reported = { reported: { state: string } | null };

const provider = { isDown: false, asked: 0, server: createServer() };
let stage: ProcessStage;
let gateways: Gateway[];

beforeAll(async () => {
  provider.server.on("request", (request, response) => {
    request.resume().once("end", () => {
      if (provider.isDown) provider.asked++;
      if (provider.isDown) response.writeHead(500).end("{}");
      else response.writeHead(200, { "content-type": "application/json" }).end(ANSWER);
    });
  });
  provider.server.listen(0, "127.0.0.1");
  await once(provider.server, "listening");
  stage = await openProcessStage({
    providerUrl: `http://127.0.0.1:${(provider.server.address() as AddressInfo).port}`,
  });
  const served = Array.from({ length: PROCESSES }, () => stage.serve({}));
  await until(
    () => served.every((one) => addressesOf(one).publicUrl !== "" && addressesOf(one).adminUrls.length > 0),
    "processes listen",
    120_000,
  );
  gateways = served.map((one) => ({ url: addressesOf(one).publicUrl, adminUrl: addressesOf(one).adminUrls[0] ?? "" }));
  for (const { url } of gateways) expect(await stage.ask(url)).toBe(200);
});
afterAll(async () => {
  await stage?.close();
  provider.server.closeAllConnections();
  provider.server.close();
});

async function routeOf({ adminUrl }: Gateway): Promise<Reported> {
  const headers = { authorization: `Bearer ${stage.adminToken}` };
  const answer = await fetch(`${adminUrl}/admin/v1/health/routes`, { headers });
  const { data } = (await answer.json()) as { data: Reported[] };
  const [route] = data;
  if (route === undefined) throw new Error("a route was used");
  return route;
}

test("while a provider is down, processes hear of it from each other and take turns to try it, and each uses it again within ten seconds", async () => {
  const backAfterS = new Map<string, number>();
  let upAtMs = Infinity;
  let over = false;
  const runLoad = async ({ url }: Gateway): Promise<void> => {
    while (!over) {
      const status = await stage.ask(url);
      if (status === 200 && performance.now() > upAtMs && !backAfterS.has(url))
        backAfterS.set(url, (performance.now() - upAtMs) / 1_000);
      await sleep(EVERY_MS);
    }
  };

  provider.isDown = true;
  const [first, ...others] = gateways;
  for (let failed = 0; failed < 5; failed++) await stage.ask(first?.url ?? "");
  await until(async () => {
    const heard = await Promise.all(others.map(routeOf));
    return heard.every(({ reported }) => reported !== null);
  }, "the others hear of it");
  const load = gateways.map(runLoad);
  await sleep(DOWN_S * 1_000);
  provider.isDown = false;
  const { asked } = provider;
  upAtMs = performance.now();
  await until(() => backAfterS.size === gateways.length, "every process uses the provider again");
  over = true;
  await Promise.all(load);
  const seconds = [...backAfterS.values()].map((value) => value.toFixed(1)).join(", ");
  console.log(`${PROCESSES} processes, ${DOWN_S} s: asked ${asked} times while down, used again after ${seconds} s`);

  expect(asked).toBeLessThanOrEqual(MOST_ASKED);
  expect(Math.max(...backAfterS.values())).toBeLessThanOrEqual(10);
});
