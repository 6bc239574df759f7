import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { ask, CHAT, modelFor } from "../operations.ts";
import { issueKey, operate } from "../operator.ts";

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({
    models: {
      east: modelFor(CHAT, "sim+tokens=2"),
      west: modelFor(CHAT, "sim+tokens=2", { provider: "west-labs" }),
    },
  });
});
afterAll(() => gateway.stop());

const UNITS = [
  { unit: "credit", start: { mode: "credit", credit: "1" }, origin: "" },
  { unit: "token-budget", start: { mode: "token_budget", budget: 1_000_000 }, origin: "/token" },
] as const;

describe.each(UNITS)("a $unit key", ({ start, origin }) => {
  test("may use other models and providers from the request after the change on", async () => {
    const key = await issueKey(gateway, { ...start, models: ["east"] });
    const uses = async (model: string): Promise<number> =>
      (await ask(CHAT, { gateway, origin, key: key.secret, fields: { model } })).status;
    const change = (body: object): Promise<unknown> => operate(gateway, `PATCH /keys/${key.id}`, body);
    const usable = async (): Promise<string> => `east ${await uses("east")}, west ${await uses("west")}`;

    expect(await usable()).toBe("east 200, west 403");
    await change({ add_models: ["west"], remove_models: ["east"] });
    expect(await usable()).toBe("east 403, west 200");
    await change({ models: null });
    expect(await usable()).toBe("east 200, west 200");
    await change({ provider_scope: "west-labs" });
    expect(await usable()).toBe("east 403, west 200");
    await change({ provider_scope: "all", models: ["east", "west"] });
    expect(await usable()).toBe("east 200, west 200");
  });

  test("is neither created nor changed for an unknown model or provider", async () => {
    const key = await issueKey(gateway, start);
    const change = (body: object): Promise<unknown> => operate(gateway, `PATCH /keys/${key.id}`, body);

    await expect(operate(gateway, "POST /keys", { ...start, models: ["wast"] })).rejects.toThrow(
      /There is no model .*wast.* Did you mean .*east.*"invalid_request"/s,
    );
    await expect(change({ provider_scope: "west-lab" })).rejects.toThrow(
      /There is no provider .*west-lab.* Did you mean .*west-labs/s,
    );
    await expect(change({ models: ["east"], add_models: ["west"] })).rejects.toThrow(
      "Give either models, or add_models and remove_models",
    );
  });
});
