import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { bearer, expectRefusal, knock } from "../knock.ts";

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess();
});
afterAll(() => gateway.stop());

test.each(["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])(
  "%s is refused and the caller told what is allowed, at both origins [ERR-27]",
  async (method) => {
    for (const prefix of ["", "/token"]) {
      const reply = await knock(`${gateway.publicUrl}${prefix}/v1/models`, {
        method,
        headers: bearer(gateway.keys.credit),
      });

      expectRefusal(reply, { status: 405, code: "method_not_allowed", type: "invalid_request_error" });
      expect(reply.headers.allow).toBe("GET, HEAD");
    }
  },
);
