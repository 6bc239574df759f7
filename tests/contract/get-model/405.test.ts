import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { expectRefusal, knock } from "../knock.ts";

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess();
});
afterAll(() => gateway.stop());

test.each(["POST", "DELETE"])(
  "%s of a model is refused and the caller told what is allowed [ERR-27]",
  async (method) => {
    const reply = await knock(`${gateway.publicUrl}/v1/models/sim-fast`, { method });

    expectRefusal(reply, { status: 405, code: "method_not_allowed", type: "invalid_request_error" });
    expect(reply.headers.allow).toBe("GET, HEAD");
  },
);
