import { afterAll, beforeAll, describe, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { testProviderFailure } from "../generation/test-provider-failure.ts";
import { ask, modelFor, RESPONSES } from "../operations.ts";
import { expectRefused } from "../refused.ts";

describe("a provider that fails", () => {
  testProviderFailure(RESPONSES);
});

describe("a provider that takes too long", () => {
  let gateway: GatewayProcess;
  beforeAll(async () => {
    gateway = await startGatewayProcess({
      models: { silent: modelFor(RESPONSES, "sim+ttft=60000", { firstByteTimeoutMs: 500 }) },
      settings: { TOLLGATE_LIMITS_STREAM_DEADLINE_MS: "2000" },
    });
  });
  afterAll(() => gateway.stop());

  test.each([false, true])(
    "is an upstream error here, because this format lists no 504, stream %s [RES-17] [ERR-20]",
    async (stream) => {
      const reply = await ask(RESPONSES, { gateway, fields: { model: "silent", stream } });

      expectRefused(RESPONSES, reply, { status: 502, code: "upstream_error", retry: "unsaid" });
    },
  );
});
