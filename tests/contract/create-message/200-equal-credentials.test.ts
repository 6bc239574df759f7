import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { bearer } from "../knock.ts";
import { ask, CHAT, COUNT, MESSAGE, modelFor, RESPONSES } from "../operations.ts";

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({
    models: Object.fromEntries(
      [CHAT, RESPONSES, MESSAGE].map((made) => [made.dialect, modelFor(made, "sim+tokens=2")]),
    ),
    settings: { TOLLGATE_AUTH_ACCEPT_EQUAL_CREDENTIALS: "on" },
  });
});
afterAll(() => gateway.stop());

test.each([CHAT, RESPONSES, MESSAGE, COUNT])(
  "where equal credentials are accepted, $path takes one key in both headers, and neither two keys nor one header twice [AUT-25] [AUT-5]",
  async (operation) => {
    const { credit, token_budget: other } = gateway.keys;
    const asked = (...headers: string[]) => ask(operation, { gateway, fields: { model: operation.dialect }, headers });

    expect((await asked("x-api-key", credit)).status).toBe(200);
    expect((await asked("x-api-key", other)).status).toBe(401);
    expect((await asked(...bearer(credit))).status).toBe(401);
    expect((await asked("x-api-key", credit, "x-api-key", credit)).status).toBe(401);
  },
);
