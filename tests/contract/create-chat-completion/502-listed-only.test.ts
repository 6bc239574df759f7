import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess, type TestModel } from "../../support/gateway-process.ts";
import { ask } from "./ask.ts";

/** Every status a provider may find to say. */
const SAID = [400, 401, 402, 403, 404, 405, 408, 409, 410, 413, 415, 418, 422, 425, 429, 451, 499];
const FAILED = [500, 501, 502, 503, 504, 505, 507, 508, 511, 520, 529, 599];
const LISTED = [400, 401, 402, 403, 404, 409, 429, 502, 503];

const models: Record<string, TestModel> = Object.fromEntries(
  [...SAID, ...FAILED].map((status) => [`says-${status}`, { upstream: `sim+fail=${status}` }]),
);

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({ models });
});
afterAll(() => gateway.stop());

test("whatever a provider says, the caller is told one of the listed statuses, in Format A [CHA-29] [CHA-30]", async () => {
  for (const model of Object.keys(models)) {
    for (const stream of [false, true]) {
      const { status, text } = await ask(gateway, { model, stream });

      expect(LISTED, `${model} became ${status}`).toContain(status);
      expect(JSON.parse(text)).toMatchObject({
        error: {
          message: expect.any(String) as string,
          type: expect.any(String) as string,
          code: expect.any(String) as string,
        },
      });
    }
  }
});

test.each(FAILED)("a provider's %i is never passed on as it is, but as 502 [CHA-29]", async (status) => {
  expect((await ask(gateway, { model: `says-${status}` })).status).toBe(502);
});
