import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { openStream, readAll } from "../open-stream.ts";
import { ask, CHAT, MESSAGE, modelFor, type Operation, RESPONSES } from "../operations.ts";
import { issueKey, type IssuedKey } from "../operator.ts";
import { expectRefused } from "../refused.ts";

const COMPLETION: Operation = { ...CHAT, limitField: "max_completion_tokens" };
const OPERATIONS = [CHAT, COMPLETION, RESPONSES, MESSAGE];

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({
    models: Object.fromEntries(
      [CHAT, RESPONSES, MESSAGE].flatMap((operation) => [
        [operation.dialect, modelFor(operation, "sim")],
        [`${operation.dialect}-waiting`, modelFor(operation, "sim+tokens=4+pause=2")],
      ]),
    ),
  });
});
afterAll(() => gateway.stop());

/** What the refusal says would fit. */
function advised(message: string): Record<string, number> {
  const [, field = "", limit = ""] = /set (\w+) to ([\d,]+) or less/.exec(message) ?? [];
  expect(field).not.toBe("");
  return { [field]: Number(limit.replaceAll(",", "")) };
}

/** A credit key and a token key that are too poor for an answer of usual length, and the origin each belongs to. */
const poorKeys = async (): Promise<[IssuedKey, string][]> => [
  [await issueKey(gateway, { credit: "0.0021" }), ""],
  [await issueKey(gateway, { mode: "token_budget", budget: 700 }), "/token"],
];

describe.each(OPERATIONS)("$dialect, $limitField", (operation) => {
  test("a limit that was too high, lowered as the refusal says, is admitted, in both units [MON-20]", async () => {
    for (const [{ secret: key }, origin] of await poorKeys()) {
      const asked = { model: operation.dialect, [operation.limitField]: 15_000 };
      const refused = await ask(operation, { gateway, key, origin, fields: asked });
      const limit = advised(expectRefused(operation, refused, { status: 402, code: "insufficient_credit" }));

      expect(Object.keys(limit)).toEqual([operation.limitField]);
      expect((await ask(operation, { gateway, key, origin, fields: { ...asked, ...limit } })).status).toBe(200);
    }
  });

  test("a limit that was not set, set as the refusal says, is admitted, in both units [MON-20]", async () => {
    for (const [{ secret: key }, origin] of await poorKeys()) {
      const asked = { model: operation.dialect };
      const refused = await ask(operation, { gateway, key, origin, fields: asked });
      const limit = advised(expectRefused(operation, refused, { status: 402, code: "insufficient_credit" }));

      expect((await ask(operation, { gateway, key, origin, fields: { ...asked, ...limit } })).status).toBe(200);
    }
  });

  test("while others hold part of the balance, the limit that the refusal names is admitted beside them [MON-19] [MON-20]", async () => {
    const { secret: key } = await issueKey(gateway, { credit: "0.008" });
    const waiting = { model: `${operation.dialect}-waiting`, [operation.limitField]: 1_000 };
    const held = await openStream(operation, { gateway, key, fields: waiting });
    await once(held, "readable");
    const asked = { model: operation.dialect, [operation.limitField]: 1_500 };
    const refused = await ask(operation, { gateway, key, fields: asked });
    const busy = { status: 429, code: "balance_temporarily_reserved", retry: "advised" } as const;
    const limit = advised(expectRefused(operation, refused, busy));
    const obeying = await ask(operation, { gateway, key, fields: { ...asked, ...limit } });
    await gateway.release();
    await readAll(held);

    expect(obeying.status).toBe(200);
  });
});

test("a limit below the least that the responses format knows is not suggested [MON-20]", async () => {
  // The input by its bytes and a dozen tokens of output.
  const bytes = JSON.stringify({ model: "responses", ...RESPONSES.body, max_output_tokens: 1_000 }).length;
  const { secret: key } = await issueKey(gateway, { credit: ((bytes * 1_000 + 12 * 4_000) * 1e-9).toFixed(9) });
  const refused = await ask(RESPONSES, { gateway, key, fields: { model: "responses", max_output_tokens: 1_000 } });

  expect(expectRefused(RESPONSES, refused, { status: 402, code: "insufficient_credit" })).not.toContain("or less");
});
