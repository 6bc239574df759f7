import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { bearer, knock, type Reply } from "../knock.ts";
import { issueKey, operate } from "../operator.ts";

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess();
});
afterAll(() => gateway.stop());

const list = (headers: readonly string[] = []): Promise<Reply> => knock(`${gateway.publicUrl}/v1/models`, { headers });

test("a key over its rate is told how long to wait, and strangers are not limited by it [LIM-1] [LIM-2] [MOD-18] [MOD-19] [ERR-11]", async () => {
  const { secret } = await issueKey(gateway, { rpm_limit: 2 });
  for (let made = 0; made < 2; made++) expect((await list(bearer(secret))).status).toBe(200);
  const reply = await list(bearer(secret));

  expect(reply.status).toBe(429);
  expect(JSON.parse(reply.text)).toMatchObject({ error: { code: "rate_limit_exceeded", type: "rate_limit_error" } });
  expect(Number(reply.headers["retry-after"])).toBeGreaterThanOrEqual(1);
  expect((await list()).status).toBe(200);
});

test("whatever is wrong with a key, the list says 401 and no other status [MOD-18] [KEY-10]", async () => {
  const statuses = new Set<number>();
  for (const change of ["suspend", "disable", "revoke"]) {
    const { id, secret } = await issueKey(gateway);
    await operate(gateway, `POST /keys/${id}/${change}`);
    statuses.add((await list(bearer(secret))).status);
  }
  const { secret } = await issueKey(gateway, { expires_at: "2020-01-01T00:00:00Z" });
  statuses.add((await list(bearer(secret))).status);
  statuses.add((await list(["authorization", "Bearer"])).status);

  expect([...statuses]).toEqual([401]);
});
