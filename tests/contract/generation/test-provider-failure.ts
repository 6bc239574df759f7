import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { notAt } from "../../support/provider-dialect.ts";
import { ask, modelFor, type Operation } from "../operations.ts";
import { expectRefused } from "../refused.ts";

const UNAVAILABLE = { status: 502, code: "provider_unavailable", retry: "unsaid" } as const;
const FAILED = { status: 502, code: "upstream_error", retry: "unsaid" } as const;
const FAULTS = ["401", "403", "404", "418", "429", "500", "503", "529", "reset", "reset@3"];

/** A provider that fails while the caller has seen nothing. */
export function testProviderFailure(operation: Operation): void {
  let gateway: GatewayProcess;
  beforeAll(async () => {
    gateway = await startGatewayProcess({
      models: {
        ...Object.fromEntries(FAULTS.map((fault) => [fault, modelFor(operation, `sim+fail=${fault}`)])),
        nonsense: modelFor(operation, "sim+malformed=2"),
        "stream-only": modelFor(operation, "sim+fail=close@0"),
      },
    });
  });
  afterAll(() => gateway.stop());

  test.each(["401", "403", "429", "503", "529"])(
    "a provider's %s is its unavailability, not the caller's fault [UPS-3] [UPS-5] [ERR-18] [ERR-35]",
    async (model) => {
      const reply = await ask(operation, { gateway, fields: { model } });

      expect(expectRefused(operation, reply, UNAVAILABLE)).not.toMatch(/script|127\.0\.0\.1/);
    },
  );

  test.for(["404", "418", "500"])(
    "a provider's %s is an upstream error [UPS-7] [UPS-9] [ERR-19]",
    async (model, context) => {
      if (model === "404") notAt("converse", context, "there it is our account that a model is missing from");
      const reply = await ask(operation, { gateway, fields: { model } });

      expect(expectRefused(operation, reply, FAILED)).not.toMatch(/script|127\.0\.0\.1/);
    },
  );

  test.each([
    ["reset", false],
    ["reset", true],
    ["reset@3", false],
    ["nonsense", false],
  ])(
    "a provider that breaks off before the caller saw anything (%s, stream %s) is an upstream error [UPS-8] [ERR-19]",
    async (model, stream) => {
      expectRefused(operation, await ask(operation, { gateway, fields: { model, stream } }), FAILED);
    },
  );

  test("whatever failed cost nothing [RTY-4] [MON-32]", async () => {
    const usage = await fetch(`${gateway.publicUrl}/v1/usage`, {
      headers: { authorization: `Bearer ${gateway.keys.credit}` },
    });

    expect(await usage.json()).toMatchObject({ credits: { used: 0, reserved: 0, balance: 100 } });
  });
}
