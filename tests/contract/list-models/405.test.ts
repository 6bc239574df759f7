import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { bearer, expectRefusal, knock, requestIdOf } from "../knock.ts";

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
      expect(reply.headers.allow).toBe("GET");
    }
  },
);

test("HEAD is refused without a body [ERR-27]", async () => {
  const reply = await knock(`${gateway.publicUrl}/v1/models`, { method: "HEAD" });

  expect({ status: reply.status, allow: reply.headers.allow, text: reply.text }).toEqual({
    status: 405,
    allow: "GET",
    text: "",
  });
  requestIdOf(reply);
});
