import { once } from "node:events";
import type { IncomingHttpHeaders } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { makeKey } from "../operator.ts";
import { ask, modelFor, type Operation } from "../operations.ts";
import { expectRefused, expectWait, expectWaitUntil } from "../refused.ts";
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
    const { secret: key } = await makeKey(gateway, { credit: "1", rpm_limit: 2 });
    for (let n = 0; n < 2; n++) expect((await ask(operation, { gateway, key })).status).toBe(200);
    const reply = await ask(operation, { gateway, key });

    expectRefused(operation, reply, OVER_RATE);
    const seconds = expectWait(reply, { least: 1, most: 60 });
    expect(reply.text).toContain(`Rate limit reached: 2 requests per minute. Please try again in ${seconds}s.`);
    expect(rateOf(reply)).toEqual({
      limit: "2",
      remaining: "0",
      reset: expect.stringMatching(/^([1-9]|[1-5]\d|60)s$/),
    });
  });

  test("every answer to a key with a limit says what is left of it, streamed or whole [HDR-16]", async () => {
    const { secret: key } = await makeKey(gateway, { credit: "1", rpm_limit: 9 });
    const first = await ask(operation, { gateway, key });
    const wrong = await ask(operation, { gateway, key, fields: { model: "nobody" } });
    const stream = await openStream(operation, { gateway, key, fields: { model: "plain" } });
    await readAll(stream);
    const unlimited = await ask(operation, { gateway, key: gateway.keys.credit });

    expect(rateOf(first)).toMatchObject({ limit: "9", remaining: "8", reset: expect.stringMatching(/^\d+s$/) });
    expect(rateOf(wrong)).toMatchObject({ limit: "9", remaining: "7" });
    expect(rateOf(stream)).toMatchObject({ limit: "9", remaining: "6" });
    expect(rateOf(unlimited)).toEqual({ limit: undefined, remaining: undefined, reset: undefined });
  });

  test("requests refused for their body count against the rate too [ORD-13] [LIM-2]", async () => {
    const { secret: key } = await makeKey(gateway, { credit: "1", rpm_limit: 2 });
    const wrong = { gateway, key, fields: { stream: "yes" } };
    expect((await ask(operation, wrong)).status).toBe(400);
    expect((await ask(operation, wrong)).status).toBe(400);

    expectRefused(operation, await ask(operation, { gateway, key }), OVER_RATE);
  });

  test("while another request holds the balance, a second is told to wait and then runs [MON-17] [ERR-12] [HDR-7] [HDR-13] [RTY-3]", async () => {
    const { secret: key } = await makeKey(gateway, { credit: "0.006" });
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

  test.each(["month", "week", "day"])(
    "a token budget that is used up stays so until its %s ends, and says when that is, streamed or whole [MON-15] [ERR-13] [HDR-8] [HDR-12] [HDR-17]",
    async (period) => {
      const key = await usedUp({ period: period });
      for (const stream of [false, true]) {
        const reply = await askAgain(key, { stream });

        expectRefused(operation, reply, USED_UP);
        const ends = String(reply.headers["x-tollgate-renews-at"]);
        expect(ends).toBe(endOf(period));
        expect(reply.text).toContain(ends);
        expectWaitUntil(reply, Date.parse(ends));
      }
    },
  );

  test.each([
    ["User-Agent", "codex_cli_rs/0.166.0 (Debian 12.0.0; x86_64) xterm"],
    ["originator", "codex_exec"],
  ])(
    "Codex, by its %s, waits for seconds, and reads when a used-up budget renews [HDR-8] [HDR-17]",
    async (...codex) => {
      const key = await usedUp({});
      for (const stream of [false, true]) {
        const reply = await askAgain(key, { stream }, codex);

        expectRefused(operation, reply, USED_UP);
        expectWait(reply, { least: 1, most: 10 });
        expect(reply.headers["x-tollgate-renews-at"]).toBe(endOf("month"));
        expect(reply.text).toContain(endOf("month"));
      }
    },
  );

  test("a used-up budget that does not renew is nothing to wait for [HDR-8]", async () => {
    const reply = await askAgain(await usedUp({ period: "none" }), {});

    expectRefused(operation, reply, USED_UP);
    expectWait(reply, { least: 1, most: 10 });
    expect(reply.headers["x-tollgate-renews-at"]).toBeUndefined();
    expect(reply.text).toContain("does not renew");
  });

  const thirsty = { model: "thirsty", [operation.limitField]: 10 };

  async function usedUp(fields: object): Promise<string> {
    const { secret: key } = await makeKey(gateway, { mode: "token_budget", budget: 500, ...fields });
    expect((await ask(operation, { gateway, key, fields: thirsty, origin: "/token" })).status).toBe(200);
    return key;
  }

  const askAgain = (key: string, fields: object, headers: readonly string[] = []) =>
    ask(operation, { gateway, key, fields: { ...thirsty, ...fields }, headers, origin: "/token" });
}

/** Weeks begin on Mondays. */
function endOf(period: string): string {
  const ends = new Date();
  ends.setUTCHours(0, 0, 0, 0);
  if (period === "month") ends.setUTCMonth(ends.getUTCMonth() + 1, 1);
  else ends.setUTCDate(ends.getUTCDate() + (period === "week" ? 7 - ((ends.getUTCDay() + 6) % 7) : 1));
  return ends.toISOString();
}

const rateOf = ({ headers }: { headers: IncomingHttpHeaders }): Record<string, unknown> => ({
  limit: headers["x-ratelimit-limit-requests"],
  remaining: headers["x-ratelimit-remaining-requests"],
  reset: headers["x-ratelimit-reset-requests"],
});
