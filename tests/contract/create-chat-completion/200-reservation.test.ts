import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { onlyStraight } from "../../support/provider-dialect.ts";
import { openChatStream, readAll } from "../../support/sse-client.ts";
import { readUsage } from "../get-usage/read-usage.ts";
import { bearer } from "../knock.ts";
import { issueKey } from "../operator.ts";
import { limitTold } from "../told-provider.ts";
import { ask, JSON_TYPE } from "./ask.ts";

const INPUT = 1_000;
const OUTPUT = 4_000;
const NANO = 1e-9;

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({
    models: {
      plain: { upstream: "sim+input=100+tokens=50" },
      waiting: { upstream: "sim+input=100+tokens=50+pause=2" },
      writing: {
        upstream: "sim+input=100+tokens=50+pause=2",
        price: { input: "1", output: "4", cache_write_5m: "2", cache_write_1h: "3" },
      },
    },
  });
});
afterAll(() => gateway.stop());

/** What a request holds while its provider waits, in nano-credits. */
async function heldBy(model: string, body: object, credit = "1"): Promise<number> {
  const { secret: key } = await issueKey(gateway, { credit });
  const held = await openChatStream({ url: gateway.publicUrl, key, model, body });
  await once(held.response, "readable");
  const { credits } = await readUsage(gateway, key);
  await gateway.release();
  await readAll(held.response);
  expect((await readUsage(gateway, key)).credits.reserved).toBe(0);
  return Math.round(credits.reserved / NANO);
}

test("a request in flight holds its limit of output and its input, no more and not less [MON-5] [MON-6] [MON-9]", async () => {
  const ten = await heldBy("waiting", { max_tokens: 10 });
  const thousand = await heldBy("waiting", { max_tokens: 1_000 });

  // The longer number is two bytes more of input.
  expect(thousand - ten).toBe(990 * OUTPUT + 2 * INPUT);
  expect(ten).toBeGreaterThan(10 * OUTPUT);
  expect(ten).toBeLessThan(10 * OUTPUT + 300 * INPUT);
});

test("input is held at the dearest price that can apply to it, cache writes included [MON-6]", async () => {
  const [plain, writing] = [await heldBy("waiting", { max_tokens: 10 }), await heldBy("writing", { max_tokens: 10 })];
  const inputOf = (held: number): number => held - 10 * OUTPUT;

  // The names of the models are equally long, so the inputs are.
  expect(inputOf(writing)).toBe(3 * inputOf(plain));
});

test("several choices hold the output for each of them [MON-7]", async (context) => {
  onlyStraight(context, "the other formats have no choices, and who asks for several there is refused");
  const one = await heldBy("waiting", { max_tokens: 100, n: 1 });

  expect((await heldBy("waiting", { max_tokens: 100, n: 3 })) - one).toBe(200 * OUTPUT);
});

test("without a limit of its own a request holds at most the published one [MON-11]", async () => {
  const held = await heldBy("waiting", {});

  expect(held).toBeGreaterThan(16_384 * OUTPUT);
  expect(held).toBeLessThan(16_384 * OUTPUT + 300 * INPUT);
});

test("of a balance that is smaller it takes half, and leaves the other half to others [MON-13]", async () => {
  expect(await heldBy("waiting", {}, "0.02")).toBe(10_000_000);
});

test("what was granted is the limit the provider is told, and the caller too [MON-12] [MON-14]", async () => {
  const poor = await issueKey(gateway, { credit: "0.02" });
  const clamped = await ask(gateway, { model: "plain" }, [...bearer(poor.secret), ...JSON_TYPE]);
  const told = limitTold((await gateway.witness()).at(-1)?.body);
  const rich = await issueKey(gateway, { credit: "1" });
  const whole = await ask(gateway, { model: "plain" }, [...bearer(rich.secret), ...JSON_TYPE]);

  expect(clamped.status).toBe(200);
  // Half of 0.02 credits pays for at most 2,500 tokens of output.
  expect(told).toBeGreaterThan(2_400);
  expect(told).toBeLessThan(2_500);
  expect(clamped.headers["x-tollgate-max-tokens"]).toBe(String(told));
  expect(whole.headers).not.toHaveProperty("x-tollgate-max-tokens");
});

test("it begins with the model's floor of 1,024 or not at all [MON-11]", async () => {
  const floor = (1_024 * OUTPUT + 100 * INPUT) * NANO;
  const enough = await issueKey(gateway, { credit: floor.toFixed(9) });
  const short = await issueKey(gateway, { credit: (1_023 * OUTPUT * NANO).toFixed(9) });

  expect((await ask(gateway, { model: "plain" }, [...bearer(enough.secret), ...JSON_TYPE])).status).toBe(200);
  expect((await ask(gateway, { model: "plain" }, [...bearer(short.secret), ...JSON_TYPE])).status).toBe(402);
});

test("a request needs its input by bytes, whatever the balance, and never more than the window [MON-8]", async () => {
  // Each of these may be a token, so that counting them near the edge saves nothing.
  const content = "7=1;,".repeat(400);
  const messages = [{ role: "user", content }];
  const held = await heldBy("waiting", { max_tokens: 10, messages });
  const asks = { model: "plain", max_tokens: 10, messages };
  const bytes = Buffer.byteLength(JSON.stringify(asks));
  const bound = bytes * INPUT + 10 * OUTPUT;
  const enough = await issueKey(gateway, { credit: (bound * NANO).toFixed(9) });
  const short = await issueKey(gateway, { credit: ((bound - 1) * NANO).toFixed(9) });

  expect(held).toBeGreaterThan(10 * OUTPUT + content.length * INPUT);
  expect((await ask(gateway, asks, [...bearer(enough.secret), ...JSON_TYPE])).status).toBe(200);
  expect((await ask(gateway, asks, [...bearer(short.secret), ...JSON_TYPE])).status).toBe(402);
});

test("what was refused because another request held the money is served on one retry after that has ended [MON-17] [RTY-3]", async () => {
  const { secret: key } = await issueKey(gateway, { credit: "0.006" });
  const asked = { model: "plain", max_tokens: 1_000 };
  const held = await openChatStream({ url: gateway.publicUrl, key, model: "waiting", body: { max_tokens: 1_000 } });
  await once(held.response, "readable");
  const early = await ask(gateway, asked, [...bearer(key), ...JSON_TYPE]);
  await gateway.release();
  await readAll(held.response);
  const late = await ask(gateway, asked, [...bearer(key), ...JSON_TYPE]);

  expect(JSON.parse(early.text)).toMatchObject({ error: { code: "balance_temporarily_reserved" } });
  expect([early.status, late.status]).toEqual([429, 200]);
});

test("of many that come at once exactly as many are let in as the balance pays for [MON-17] [MON-18]", async () => {
  // Each holds 1,000 tokens of output and its input by bytes: three fit into 0.0135 credits, four do not.
  const { secret: key } = await issueKey(gateway, { credit: "0.0135" });
  const open = () => openChatStream({ url: gateway.publicUrl, key, model: "waiting", body: { max_tokens: 1_000 } });
  const streams = await Promise.all(Array.from({ length: 10 }, open));
  const { credits } = await readUsage(gateway, key);
  await gateway.release();
  const texts = await Promise.all(streams.map(async ({ response }) => (await readAll(response)).text));

  expect(streams.filter(({ status }) => status === 200)).toHaveLength(3);
  expect(streams.filter(({ status }) => status === 429)).toHaveLength(7);
  for (const [index, { status }] of streams.entries()) {
    expect(texts[index]).toContain(status === 200 ? "[DONE]" : "balance_temporarily_reserved");
  }
  expect(credits.reserved).toBeLessThanOrEqual(credits.balance);
  expect((await readUsage(gateway, key)).credits).toMatchObject({ reserved: 0, used: 0.0009 });
});
