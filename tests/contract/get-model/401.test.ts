import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { badKeys } from "../bad-keys.ts";
import { bearer, expectRefusal, knock } from "../knock.ts";
import { issueKey, operate } from "../operator.ts";

const UNAUTHORISED = { status: 401, code: "invalid_credentials", type: "authentication_error" };

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess();
});
afterAll(() => gateway.stop());

const get = (headers: readonly string[], origin = "") =>
  knock(`${gateway.publicUrl}${origin}/v1/models/sim-fast`, { headers });

test("a credential that is not valid is refused and not answered from the public catalogue [MOD-23]", async () => {
  for (const [, key] of badKeys(gateway.keys.credit)) expectRefusal(await get(bearer(key)), UNAUTHORISED);
  expectRefusal(await get(bearer(gateway.keys.credit), "/token"), UNAUTHORISED);
});

test("a key in any unusable state is refused with 401 [MOD-23] [KEY-10]", async () => {
  for (const change of ["suspend", "disable", "revoke"]) {
    const { id, secret } = await issueKey(gateway);
    await operate(gateway, `POST /keys/${id}/${change}`);

    expect((await get(bearer(secret))).status).toBe(401);
  }
});
