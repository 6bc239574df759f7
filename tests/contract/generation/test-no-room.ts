import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { openStream, readAll } from "../open-stream.ts";
import { ask, MESSAGE, modelFor, type AnyOperation } from "../operations.ts";
import { expectRefused, expectWait } from "../refused.ts";

/** A gateway that has no room. */
export function testNoRoom(operation: AnyOperation): void {
  let gateway: GatewayProcess;
  beforeAll(async () => {
    gateway = await startGatewayProcess({
      models: { plain: modelFor(operation, "sim"), waiting: modelFor(MESSAGE, "sim+tokens=4+pause=2") },
      settings: { TOLLGATE_LIMITS_OPEN_REQUESTS: "1" },
    });
  });
  afterAll(() => gateway.stop());

  /** What asked whether the gateway is ready may still have its place. */
  async function openFirst(): Promise<IncomingMessage> {
    for (;;) {
      const response = await openStream(MESSAGE, { gateway, fields: { model: "waiting" } });
      if (response.statusCode !== 503) return response;
      await readAll(response);
    }
  }

  test("past its bound of open requests the gateway refuses at once, and serves again when there is room [ERR-24] [ERR-36] [HDR-4] [HDR-9]", async () => {
    const held = await openFirst();
    await once(held, "readable");
    const reply = await ask(operation, { gateway });

    expectRefused(operation, reply, { status: 503, code: "service_unavailable", retry: "unsaid" });
    expectWait(reply, { least: 1, most: 10 });
    await gateway.release();
    await readAll(held);
    expect((await ask(operation, { gateway })).status).toBe(200);
  });
}
