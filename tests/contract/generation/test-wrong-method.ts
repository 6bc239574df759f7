import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { knock } from "../knock.ts";
import type { AnyOperation } from "../operations.ts";
import { expectRefused } from "../refused.ts";

/** The path is there, the method is not. */
export function testWrongMethod(operation: AnyOperation): void {
  let gateway: GatewayProcess;
  beforeAll(async () => {
    gateway = await startGatewayProcess();
  });
  afterAll(() => gateway.stop());

  test.each(["GET", "PUT", "DELETE", "OPTIONS"])(
    "%s is refused and the caller told what is allowed, at both origins [ERR-27] [ORI-3]",
    async (method) => {
      for (const origin of ["", "/token"]) {
        const reply = await knock(`${gateway.publicUrl}${origin}${operation.path}`, { method });

        expectRefused(operation, reply, { status: 405, code: "method_not_allowed" });
        expect(reply.headers.allow).toBe("POST");
      }
    },
  );
}
