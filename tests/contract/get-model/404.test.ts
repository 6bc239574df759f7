import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { bearer, expectRefusal, knock, type Reply } from "../knock.ts";
import { makeKey } from "../operator.ts";

const NOT_FOUND = { status: 404, code: "model_not_found", type: "invalid_request_error", param: "model" };

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({ models: { "no-price": { upstream: "sim", price: null } } });
});
afterAll(() => gateway.stop());

const get = (id: string, headers: readonly string[] = []): Promise<Reply> =>
  knock(`${gateway.publicUrl}/v1/models/`, { headers, path: `/v1/models/${id}` });

test.each(["nope", "sim-fast/", "SIM-FAST", "%zz", "..%2f..%2fetc%2fpasswd", "__proto__", "x".repeat(5_000)])(
  "the model %.40s does not exist, and the refusal says where the list is [MOD-22]",
  async (id) => {
    const { message } = expectRefusal(await get(id), NOT_FOUND);

    expect(message).toContain("GET /v1/models");
    expect(message.length).toBeLessThan(300);
  },
);

test("a model that a key's own list does not show does not exist for that key [MOD-22]", async () => {
  const { secret } = await makeKey(gateway, { models: ["sim-fast"] });

  expectRefusal(await get("sim-steady", bearer(secret)), NOT_FOUND);
  expectRefusal(await get("no-price", bearer(gateway.keys.credit)), NOT_FOUND);
  expect((await get("no-price")).status).toBe(200);
});
