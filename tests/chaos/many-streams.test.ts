import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../support/gateway-process.ts";
import { eventsOf, openChatStream, readAll } from "../support/sse-client.ts";
import { setTimeout as sleep } from "node:timers/promises";

/** The long run is the promise; the short one is for every change. */
const LONG = process.env["TEST_LONG"] !== undefined;
const STREAMS = LONG ? 2_000 : 500;
const SECONDS = LONG ? 30 : 8;
const EVENTS_PER_SECOND = 5;
const TOKENS = SECONDS * EVENTS_PER_SECOND;

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({
    models: { paced: { upstream: `sim+tokens=${TOKENS}+rate=${EVENTS_PER_SECOND}` }, brief: { upstream: "sim" } },
  });
});
afterAll(() => gateway.stop());

test(`${STREAMS} streams open at once for ${SECONDS} s miss no event`, async () => {
  await warmUp();
  const before = residentBytes(gateway.pid);
  let opened = 0;
  const all = Array.from({ length: STREAMS }, async () => {
    const { response, status } = await openChatStream({
      url: gateway.publicUrl,
      key: gateway.keys.credit,
      model: "paced",
      // The key has no credit for so many of the longest answers at once.
      body: { max_tokens: 2 * TOKENS },
    });
    opened++;
    return { status, ...(await readAll(response)) };
  });
  while (opened < STREAMS) await sleep(50);
  const openedAt = Date.now();
  await sleep(2_000);
  const perStream = (residentBytes(gateway.pid) - before) / STREAMS;
  const results = await Promise.all(all);
  const lasted = (Date.now() - openedAt) / 1_000;

  console.log(
    `${STREAMS} streams, ${lasted.toFixed(1)} s, ${Math.round(perStream / 1024)} KiB resident per open stream (simulator and database in the same process)`,
  );
  expect(results.filter(({ status, broken }) => status !== 200 || broken)).toEqual([]);
  // The role, every token, the finish reason, and [DONE].
  expect(new Set(results.map(({ text }) => eventsOf(text).length))).toEqual(new Set([TOKENS + 3]));
  expect(results.every(({ text }) => text.endsWith("data: [DONE]\n\n"))).toBe(true);
});

/** Code is compiled and caches are filled before memory is compared. */
async function warmUp(): Promise<void> {
  const body = { messages: [{ role: "user", content: "Hello" }], max_tokens: 1 };
  for (let round = 0; round < 20; round++) {
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        const { response } = await openChatStream({
          url: gateway.publicUrl,
          key: gateway.keys.credit,
          model: "brief",
          body,
        });
        await readAll(response);
      }),
    );
  }
}

function residentBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}
