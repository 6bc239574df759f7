import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { bearer, knock, type Reply } from "../knock.ts";
import { issueKey } from "../operator.ts";

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess();
});
afterAll(() => gateway.stop());

test("showing a model counts against the rate of its key, found or not [LIM-1] [MOD-23]", async () => {
  const { secret } = await issueKey(gateway, { rpm_limit: 2 });
  const get = (id: string): Promise<Reply> =>
    knock(`${gateway.publicUrl}/v1/models/${id}`, { headers: bearer(secret) });
  const statuses = [];
  for (const id of ["sim-fast", "nope", "sim-fast"]) statuses.push((await get(id)).status);

  expect(statuses).toEqual([200, 404, 429]);
});
