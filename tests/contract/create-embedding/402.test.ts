import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { makeKey } from "../operator.ts";
import { ask, EMBEDDINGS, modelFor } from "../operations.ts";
import { expectRefused } from "../refused.ts";

const BROKE = { status: 402, code: "insufficient_credit" };

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({ models: { plain: modelFor(EMBEDDINGS, "sim-embed") } });
});
afterAll(async () => {
  expect(await gateway.witness()).toEqual([]);
  await gateway.stop();
});

test("a key that could not pay for its input is refused before any provider is asked, and told what it needs [EMB-9]", async () => {
  const { secret: key } = await makeKey(gateway, { credit: "0.000001" });
  const message = expectRefused(EMBEDDINGS, await ask(EMBEDDINGS, { gateway, key }), BROKE);

  // Five bytes and four marks at 1,000 nano-credits.
  expect(message).toContain("needs at least 0.000009 credits and the key has 0.000001 credits available");
  expect(message).not.toMatch(/max_tokens|Or set/);
});

test("2,048 inputs of a byte are reserved for, each with what stands around it [EMB-9]", async () => {
  const { secret: key } = await makeKey(gateway, { credit: "0.010" });
  const fields = { input: Array.from({ length: 2_048 }, () => "a") };

  expect(expectRefused(EMBEDDINGS, await ask(EMBEDDINGS, { gateway, key, fields }), BROKE)).toContain(
    "0.01024 credits",
  );
});

test("tokens are reserved for as many as there are [EMB-9]", async () => {
  const { secret: key } = await makeKey(gateway, { mode: "token_budget", budget: 5 });
  const fields = {
    input: [
      [1, 2, 3],
      [4, 5, 6],
    ],
  };
  const reply = await ask(EMBEDDINGS, { gateway, key, fields, origin: "/token" });

  expect(expectRefused(EMBEDDINGS, reply, BROKE)).toContain("needs at least 6 tokens and the key has 5 tokens");
});
