import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { until } from "../../support/until.ts";
import { chargesOf, makeKey } from "../operator.ts";
import { ask, CHAT, EMBEDDINGS, modelFor } from "../operations.ts";
import { expectRefused } from "../refused.ts";

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({
    models: {
      plain: modelFor(EMBEDDINGS, "sim-embed"),
      talks: modelFor(CHAT, "sim-fast"),
      waiting: modelFor(EMBEDDINGS, "sim-embed+pause=0"),
    },
  });
});
afterAll(() => gateway.stop());

const under = (name: string): string[] => ["idempotency-key", name];

test("a finished answer is given again, byte for byte, asked of nobody and charged once [EMB-13]", async () => {
  const key = await makeKey(gateway);
  const asked = { gateway, key: key.secret, headers: under("again"), fields: { encoding_format: "base64" } };
  const first = await ask(EMBEDDINGS, asked);
  const callsBefore = (await gateway.witness()).length;
  const again = await ask(EMBEDDINGS, asked);

  expect(first.status).toBe(200);
  expect(again).toMatchObject({ status: 200, text: first.text, headers: { "idempotent-replayed": "true" } });
  expect(again.headers["x-tollgate-cost"]).toBe("0");
  expect(await gateway.witness()).toHaveLength(callsBefore);
  expect(await chargesOf(gateway, key)).toHaveLength(1);
});

test("a duplicate of a request in flight waits its turn", async () => {
  const asked = { gateway, headers: under("in-flight"), fields: { model: "waiting" } };
  const first = ask(EMBEDDINGS, asked);
  await until(async () => (await gateway.witness()).some(({ paused }) => paused), "the provider is at work");
  const duplicate = await ask(EMBEDDINGS, asked);
  await gateway.release();

  expectRefused(EMBEDDINGS, duplicate, { status: 409, code: "idempotency_in_progress", retry: "advised" });
  expect((await first).status).toBe(200);
});

test("the same header on another body is refused [EMB-13]", async () => {
  const first = await ask(EMBEDDINGS, { gateway, headers: under("reused") });
  const reply = await ask(EMBEDDINGS, { gateway, headers: under("reused"), fields: { input: "Another" } });

  expect(first.status).toBe(200);
  expectRefused(EMBEDDINGS, reply, { status: 409, code: "idempotency_key_reuse" });
});

test("the header of a generation is none of embeddings, and the other way round [EMB-13]", async () => {
  const talk = (name: string) => ask(CHAT, { gateway, fields: { model: "talks" }, headers: under(name) });
  const embed = (name: string) => ask(EMBEDDINGS, { gateway, headers: under(name) });
  const reused = { status: 409, code: "idempotency_key_reuse" };

  expect([(await talk("of-text")).status, (await embed("of-vectors")).status]).toEqual([200, 200]);
  expectRefused(EMBEDDINGS, await embed("of-text"), reused);
  expectRefused(CHAT, await talk("of-vectors"), reused);
});

test("an answer too large to keep is not asked for a second time", async () => {
  const fields = { model: "plain", input: Array.from({ length: 300 }, () => "a"), dimensions: 300 };
  const first = await ask(EMBEDDINGS, { gateway, fields, headers: under("huge") });
  const callsBefore = (await gateway.witness()).length;
  const reply = await ask(EMBEDDINGS, { gateway, fields, headers: under("huge") });

  expect(first.status).toBe(200);
  expectRefused(EMBEDDINGS, reply, { status: 409, code: "idempotency_replay_unavailable" });
  expect(await gateway.witness()).toHaveLength(callsBefore);
});
