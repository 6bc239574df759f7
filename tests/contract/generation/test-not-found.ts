import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { knock } from "../knock.ts";
import { ask, type AnyOperation } from "../operations.ts";
import { expectRefused } from "../refused.ts";

/** What nobody publishes is not there. */
export function testNotFound(operation: AnyOperation): void {
  let gateway: GatewayProcess;
  beforeAll(async () => {
    gateway = await startGatewayProcess();
  });
  afterAll(async () => {
    expect(await gateway.witness()).toEqual([]);
    await gateway.stop();
  });

  test.each(["no-such-model", "SIM-FAST", "sim-fast ", "sim-fast+fail=500", "__proto__", "x".repeat(100_000)])(
    "the model %j is not in the catalogue, which is told with the place to look [ERR-16] [ERR-32] [HDR-10]",
    async (model) => {
      const param = operation.format === "A" ? "model" : null;
      const reply = await ask(operation, { gateway, fields: { model } });
      const message = expectRefused(operation, reply, { status: 404, code: "model_not_found", param });

      expect(message).toContain("/v1/models");
      expect(message.length).toBeLessThan(300);
    },
  );

  test.each(["/", "//", "/x"])("the path with %j after it is another path [ERR-26]", async (rest) => {
    const reply = await knock(gateway.publicUrl, { method: "POST", path: `${operation.path}${rest}`, body: "{}" });

    expectRefused(operation, reply, { status: 404, code: "not_found" });
  });
}
