import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { ask, EMBEDDINGS, modelFor } from "../operations.ts";
import { expectRefused } from "../refused.ts";

const UNAVAILABLE = { status: 502, code: "provider_unavailable", retry: "unsaid" } as const;
const FAILED = { status: 502, code: "upstream_error", retry: "unsaid" } as const;
const FAULTS = ["401", "429", "503", "404", "500", "reset", "reset@3", "close@3"];

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({
    models: {
      ...Object.fromEntries(FAULTS.map((fault) => [fault, modelFor(EMBEDDINGS, `sim-embed+fail=${fault}`)])),
      nonsense: modelFor(EMBEDDINGS, "sim-embed+malformed=2"),
      short: modelFor(EMBEDDINGS, "sim-embed+vectors=short"),
      endless: modelFor(EMBEDDINGS, "sim-embed+answer=2000000"),
      silent: modelFor(EMBEDDINGS, "sim-embed+ttft=60000"),
    },
    settings: { TOLLGATE_LIMITS_STREAM_DEADLINE_MS: "3000" },
  });
});
afterAll(() => gateway.stop());

test.each(["401", "429", "503"])("a provider's %s is its unavailability, not the caller's fault", async (model) => {
  const reply = await ask(EMBEDDINGS, { gateway, fields: { model } });

  expect(expectRefused(EMBEDDINGS, reply, UNAVAILABLE)).not.toMatch(/script|127\.0\.0\.1/);
});

test.each(["404", "500", "reset", "reset@3", "close@3", "nonsense"])(
  "a provider that fails with %s gave no answer",
  async (model) => {
    expectRefused(EMBEDDINGS, await ask(EMBEDDINGS, { gateway, fields: { model } }), FAILED);
  },
);

test("an answer with fewer vectors than inputs is none [EMB-11]", async () => {
  const reply = await ask(EMBEDDINGS, { gateway, fields: { model: "short", input: ["a", "b"] } });

  expect(expectRefused(EMBEDDINGS, reply, FAILED)).toContain("not one embedding for each input");
});

test("an answer is no longer than so many inputs can need", async () => {
  const reply = await ask(EMBEDDINGS, { gateway, fields: { model: "endless" } });

  expect(expectRefused(EMBEDDINGS, reply, FAILED)).toContain("1,310,720 bytes");
});

test("a provider that takes longer than a request may last", async () => {
  expectRefused(EMBEDDINGS, await ask(EMBEDDINGS, { gateway, fields: { model: "silent" } }), FAILED);
});

test("whatever failed cost nothing [EMB-11]", async () => {
  const usage = await fetch(`${gateway.publicUrl}/v1/usage`, {
    headers: { authorization: `Bearer ${gateway.keys.credit}` },
  });

  expect(await usage.json()).toMatchObject({ credits: { used: 0, reserved: 0, balance: 100 } });
});
