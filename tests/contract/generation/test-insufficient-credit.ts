import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { makeKey } from "../operator.ts";
import { ask, modelFor, type Operation } from "../operations.ts";
import { expectRefused } from "../refused.ts";

const BROKE = { status: 402, code: "insufficient_credit" };

/** A request that no balance of the key could pay for, other requests or none. */
export function testInsufficientCredit(operation: Operation): void {
  let gateway: GatewayProcess;
  beforeAll(async () => {
    gateway = await startGatewayProcess({ models: { plain: modelFor(operation, "sim") } });
  });
  afterAll(async () => {
    expect(await gateway.witness()).toEqual([]);
    await gateway.stop();
  });

  test.each([false, true])(
    "a key with next to no credit is refused before any provider is asked, stream %s [MON-16] [ERR-14] [ERR-30] [HDR-10]",
    async (stream) => {
      const { secret: key } = await makeKey(gateway, { credit: "0.000001" });

      expectRefused(operation, await ask(operation, { gateway, key, fields: { stream } }), BROKE);
    },
  );

  test("the refusal says what was needed and what there is, and which limit would fit [MON-19] [MON-20] [RTY-5]", async () => {
    const { secret: key } = await makeKey(gateway, { credit: "0.002" });
    const fields = { [operation.limitField]: 1_000 };
    const message = expectRefused(operation, await ask(operation, { gateway, key, fields }), BROKE);

    expect(message).toMatch(/0\.00\d+/);
    expect(message).toContain(operation.limitField);
  });

  test("a token-budget key that cannot pay for the limit it asks for is refused likewise [MON-16]", async () => {
    const { secret: key } = await makeKey(gateway, { mode: "token_budget", budget: 100 });
    const fields = { [operation.limitField]: 1_000 };

    expectRefused(operation, await ask(operation, { gateway, key, fields, origin: "/token" }), BROKE);
  });
}
