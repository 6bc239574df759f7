import { afterAll, beforeAll, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { ask, MESSAGE, modelFor } from "../operations.ts";
import { expectRefused } from "../refused.ts";

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({
    models: { silent: modelFor(MESSAGE, "sim+ttft=60000", { firstByteTimeoutMs: 500 }) },
    settings: { TOLLGATE_LIMITS_STREAM_DEADLINE_MS: "2000" },
  });
});
afterAll(() => gateway.stop());

test.each([false, true])(
  "a provider that does not begin a stream in time, or does not give a plain answer before the deadline, is a timeout of its own, stream %s [ERR-21] [ERR-37] [MSG-29]",
  async (stream) => {
    const reply = await ask(MESSAGE, { gateway, fields: { model: "silent", stream } });

    expectRefused(MESSAGE, reply, { status: 504, code: "upstream_timeout", retry: "unsaid" });
  },
);
