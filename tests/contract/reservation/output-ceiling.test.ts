import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { ask, CHAT, MESSAGE, modelFor, RESPONSES } from "../operations.ts";
import { limitTold } from "../told-provider.ts";

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({
    models: Object.fromEntries(
      [CHAT, RESPONSES, MESSAGE].map((operation) => [
        operation.dialect,
        modelFor(operation, "sim+tokens=5", { maxOutputTokens: null, outputCeiling: 300 }),
      ]),
    ),
  });
});
afterAll(() => gateway.stop());

test.each([CHAT, RESPONSES, MESSAGE])(
  "a model that publishes no output limit lowers the request to its ceiling, and says so: $dialect [CHA-13] [RES-8] [MON-14]",
  async (operation) => {
    const asking = (limit: number) =>
      ask(operation, { gateway, fields: { model: operation.dialect, [operation.limitField]: limit } });
    const clamped = await asking(5_000);
    const told = limitTold((await gateway.witness()).at(-1)?.body);
    const whole = await asking(300);

    expect(clamped.status).toBe(200);
    expect(told).toBe(300);
    expect(clamped.headers["x-tollgate-max-tokens"]).toBe("300");
    expect(whole.headers).not.toHaveProperty("x-tollgate-max-tokens");
  },
);
