import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { until } from "../../support/until.ts";
import { makeKey } from "../operator.ts";
import { ask, EMBEDDINGS, modelFor } from "../operations.ts";
import { expectRefused, expectWait } from "../refused.ts";

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({
    models: {
      plain: modelFor(EMBEDDINGS, "sim-embed"),
      waiting: modelFor(EMBEDDINGS, "sim-embed+pause=0"),
    },
  });
});
afterAll(() => gateway.stop());

test("a key over its requests per minute is told how long to wait, refused bodies counted", async () => {
  const { secret: key } = await makeKey(gateway, { credit: "1", rpm_limit: 2 });
  const first = await ask(EMBEDDINGS, { gateway, key });
  const wrong = await ask(EMBEDDINGS, { gateway, key, fields: { input: [] } });
  const reply = await ask(EMBEDDINGS, { gateway, key });

  expect([first.status, wrong.status]).toEqual([200, 400]);
  expect(first.headers["x-ratelimit-limit-requests"]).toBe("2");
  expectRefused(EMBEDDINGS, reply, { status: 429, code: "rate_limit_exceeded", retry: "advised" });
  expectWait(reply, { least: 1, most: 60 });
});

test("while another request holds the balance, a second is told to wait and then runs", async () => {
  const { secret: key } = await makeKey(gateway, { credit: "0.000015" });
  const held = ask(EMBEDDINGS, { gateway, key, fields: { model: "waiting" } });
  await until(async () => (await gateway.witness()).some(({ paused }) => paused), "the provider is at work");
  const reply = await ask(EMBEDDINGS, { gateway, key });
  await gateway.release();

  expectRefused(EMBEDDINGS, reply, { status: 429, code: "balance_temporarily_reserved", retry: "advised" });
  expect((await held).status).toBe(200);
  expect((await ask(EMBEDDINGS, { gateway, key })).status).toBe(200);
});

test("a token budget that is used up stays so until it renews", async () => {
  const { secret: key } = await makeKey(gateway, { mode: "token_budget", budget: 3 });
  const asked = { gateway, key, origin: "/token", fields: { input: [1, 2, 3] } };

  expect((await ask(EMBEDDINGS, asked)).status).toBe(200);
  expectRefused(EMBEDDINGS, await ask(EMBEDDINGS, asked), { status: 429, code: "limit_reached" });
});
