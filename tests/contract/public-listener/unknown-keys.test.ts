import { Agent, request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { unknownKey } from "../bad-keys.ts";
import { bearer, knock, type Reply } from "../knock.ts";
import { issueKey } from "../operator.ts";
import { ask, CHAT, MESSAGE, modelFor } from "../operations.ts";

const FROM = "203.0.113.7";
let number = 0;

/** Statuses and how often each was answered, of as many keys that nobody knows. */
async function flood(gateway: GatewayProcess, { keys, headers = {} }: { keys: number; headers?: object }) {
  const agent = new Agent({ keepAlive: true, maxSockets: 50 });
  const tally: Record<number, number> = {};
  const guess = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const credential = number++ % 2 === 0 ? "authorization" : "x-api-key";
      const key = unknownKey(number);
      const value = credential === "authorization" ? `Bearer ${key}` : key;
      request(`${gateway.publicUrl}/v1/models`, { agent, headers: { [credential]: value, ...headers } }, (response) => {
        const { statusCode = 0 } = response;
        tally[statusCode] = (tally[statusCode] ?? 0) + 1;
        response.resume().on("end", resolve);
      })
        .on("error", reject)
        .end();
    });
  await Promise.all(Array.from({ length: keys }, guess));
  agent.destroy();
  return tally;
}

const list = (gateway: GatewayProcess, headers: readonly string[]): Promise<Reply> =>
  knock(`${gateway.publicUrl}/v1/models`, { headers });

describe.each<[where: string, settings: Record<string, string>, headers: Record<string, string>]>([
  ["on loopback", {}, {}],
  ["behind a trusted proxy", { TOLLGATE_LISTEN_TRUSTED_PROXIES: "127.0.0.0/8, ::1" }, { "x-forwarded-for": FROM }],
])("%s", (_where, settings, headers) => {
  let gateway: GatewayProcess;
  beforeAll(async () => {
    gateway = await startGatewayProcess({
      models: { plain: modelFor(CHAT, "sim"), spoken: modelFor(MESSAGE, "sim") },
      settings,
    });
  });
  afterAll(() => gateway.stop());

  test.each([600, 5_000])("%i unknown keys from one address lock no key out [AUT-23]", async (keys) => {
    // Never used before the flood, so the process has not seen them.
    const [first, second, third, fourth] = await Promise.all(
      Array.from({ length: 4 }, () => issueKey(gateway, { credit: "5" })),
    );
    const from = Object.entries(headers).flat();
    const tally = await flood(gateway, { keys, headers });

    expect(tally[200]).toBeUndefined();
    expect((await list(gateway, [...bearer(first?.secret ?? ""), ...from])).status).toBe(200);
    expect((await list(gateway, ["x-api-key", second?.secret ?? "", ...from])).status).toBe(200);
    expect((await ask(CHAT, { gateway, key: third?.secret ?? "", headers: from })).status).toBe(200);
    const spoken = { gateway, key: fourth?.secret ?? "", headers: from, fields: { model: "spoken", max_tokens: 9 } };
    expect((await ask(MESSAGE, spoken)).status).toBe(200);
  });
});

describe("with a low limit", () => {
  let gateway: GatewayProcess;
  beforeAll(async () => {
    const settings = { TOLLGATE_KEYS_UNKNOWN_PER_MINUTE: "3", TOLLGATE_LISTEN_TRUSTED_PROXIES: "127.0.0.1,10.0.0.0/8" };
    gateway = await startGatewayProcess({ settings });
  });
  afterAll(() => gateway.stop());

  test("a flood of unknown keys is counted where it comes from, which nobody but a trusted proxy says [AUT-19] [AUT-24]", async () => {
    const guess = (...headers: string[]) => list(gateway, [...bearer(unknownKey(++number)), ...headers]);
    for (let guesses = 0; guesses < 3; guesses++) expect((await guess("x-forwarded-for", FROM)).status).toBe(401);
    const refused = await guess("x-forwarded-for", `198.51.100.1, ${FROM}, 10.1.2.3`);

    expect(refused.status).toBe(429);
    expect(Number(refused.headers["retry-after"])).toBeGreaterThanOrEqual(1);
    expect(refused.text).toContain("rate_limit_exceeded");
    expect((await guess("forwarded", `for=${FROM};proto=https`)).status).toBe(429);
    // What stands to the left of the caller's own address is its invention.
    expect((await guess("x-forwarded-for", `${FROM}, 198.51.100.1`)).status).toBe(401);
    // Callers that are not told apart are not limited by their address.
    for (let guesses = 0; guesses < 5; guesses++) expect((await guess()).status).toBe(401);
    expect((await list(gateway, [...bearer(gateway.keys.credit), "x-forwarded-for", FROM])).status).toBe(200);
  });
});
