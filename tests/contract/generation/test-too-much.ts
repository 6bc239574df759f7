import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { makeKey } from "../make-key.ts";
import { ask, modelFor, type Operation } from "../operations.ts";
import { expectRefused, expectWait } from "../refused.ts";
import { openStream, readAll } from "../open-stream.ts";

const OVER_RATE = { status: 429, code: "rate_limit_exceeded", retry: "advised" } as const;
const RESERVED = { status: 429, code: "balance_temporarily_reserved", retry: "advised" } as const;
const USED_UP = { status: 429, code: "limit_reached", retry: "never" } as const;

/** The three ways in which a key has had enough for now. */
export function testTooMuch(operation: Operation): void {
  let gateway: GatewayProcess;
  beforeAll(async () => {
    gateway = await startGatewayProcess({
      models: {
        plain: modelFor(operation, "sim"),
        waiting: modelFor(operation, "sim+tokens=4+pause=2"),
        thirsty: modelFor(operation, "sim+tokens=10+input=490"),
      },
    });
  });
  afterAll(() => gateway.stop());

  test("a key over its requests per minute is told how long to wait [LIM-1] [ERR-11] [ERR-34] [HDR-4] [HDR-5] [HDR-13]", async () => {
    const { secret: key } = await makeKey(gateway, "--credit", "1", "--rpm", "2");
    for (let n = 0; n < 2; n++) expect((await ask(operation, { gateway, key })).status).toBe(200);
    const reply = await ask(operation, { gateway, key });

    expectRefused(operation, reply, OVER_RATE);
    // The window is a minute of cells of five seconds.
    expectWait(reply, { least: 1, most: 65 });
  });

  test("requests refused for their body count against the rate too [ORD-13] [LIM-2]", async () => {
    const { secret: key } = await makeKey(gateway, "--credit", "1", "--rpm", "2");
    const wrong = { gateway, key, fields: { stream: "yes" } };
    expect((await ask(operation, wrong)).status).toBe(400);
    expect((await ask(operation, wrong)).status).toBe(400);

    expectRefused(operation, await ask(operation, { gateway, key }), OVER_RATE);
  });

  test("while another request holds the balance, a second is told to wait and then runs [MON-17] [ERR-12] [HDR-7] [HDR-13] [RTY-3]", async () => {
    const { secret: key } = await makeKey(gateway, "--credit", "0.006");
    const fields = { [operation.limitField]: 1_000 };
    const held = await openStream(operation, { gateway, key, fields: { ...fields, model: "waiting" } });
    await once(held, "readable");
    const reply = await ask(operation, { gateway, key, fields });

    expectRefused(operation, reply, RESERVED);
    expectWait(reply, { least: 1, most: 5 });
    await gateway.release();
    await readAll(held);
    expect((await ask(operation, { gateway, key, fields })).status).toBe(200);
  });

  test("a token budget that is used up stays so until its period ends [MON-15] [ERR-13] [HDR-8] [HDR-12]", async () => {
    const { secret: key } = await makeKey(gateway, "--mode", "token_budget", "--budget", "500");
    const fields = { model: "thirsty", [operation.limitField]: 10 };
    expect((await ask(operation, { gateway, key, fields, origin: "/token" })).status).toBe(200);
    const reply = await ask(operation, { gateway, key, fields, origin: "/token" });

    expectRefused(operation, reply, USED_UP);
    const monthEnds = new Date();
    monthEnds.setUTCMonth(monthEnds.getUTCMonth() + 1, 1);
    monthEnds.setUTCHours(0, 0, 0, 0);
    const left = Math.min(86_400, (monthEnds.getTime() - Date.now()) / 1_000);
    expectWait(reply, { least: Math.floor(left) - 60, most: Math.ceil(left) + 60 });
  });
}
