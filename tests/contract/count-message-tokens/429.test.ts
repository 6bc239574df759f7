import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { makeKey } from "../operator.ts";
import { ask, COUNT, modelFor } from "../operations.ts";
import { expectRefused, expectWait } from "../refused.ts";

const OVER_RATE = { status: 429, code: "rate_limit_exceeded", retry: "advised" } as const;

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({ models: { plain: modelFor(COUNT, "sim") } });
});
afterAll(() => gateway.stop());

test.each<[what: string, fields: object, status: number]>([
  ["counts", {}, 200],
  ["refused bodies", { messages: [] }, 400],
  ["unknown models", { model: "no-such-model" }, 404],
])(
  "%s move the rate of the key, once each [LIM-1] [LIM-2] [ORD-12] [ORD-13] [ERR-34]",
  async (_what, fields, status) => {
    const { secret: key } = await makeKey(gateway, { rpm_limit: 2 });
    for (let n = 0; n < 2; n++) expect((await ask(COUNT, { gateway, key, fields })).status).toBe(status);
    const reply = await ask(COUNT, { gateway, key });

    expectRefused(COUNT, reply, OVER_RATE);
    expectWait(reply, { least: 1, most: 65 });
  },
);
