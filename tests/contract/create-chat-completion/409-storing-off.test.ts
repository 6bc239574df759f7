import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { bearer, expectRefusal, type Reply } from "../knock.ts";
import { chargesOf, issueKey, type IssuedKey } from "../operator.ts";
import { ask, EVERYDAY, JSON_TYPE } from "./ask.ts";

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({ models: EVERYDAY, settings: { TOLLGATE_IDEMPOTENCY_BODY_BYTES: "0" } });
});
afterAll(() => gateway.stop());

const askUnder = (name: string, { secret }: IssuedKey, stream: boolean): Promise<Reply> =>
  ask(gateway, { stream }, [...bearer(secret), ...JSON_TYPE, "idempotency-key", name]);

test.each([false, true])(
  "where no answers are kept, a retry is told so and still neither run nor charged again, stream %s [IDM-17] [RTY-1]",
  async (stream) => {
    const key = await issueKey(gateway, { credit: "1" });
    expect((await askUnder("once", key, stream)).status).toBe(200);
    const calls = (await gateway.witness()).length;
    const again = await askUnder("once", key, stream);

    expectRefusal(again, { status: 409, code: "idempotency_replay_unavailable", type: "idempotency_error" });
    expect(await gateway.witness()).toHaveLength(calls);
    expect(await chargesOf(gateway, key)).toHaveLength(1);
  },
);
