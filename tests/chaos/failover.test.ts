import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../support/gateway-process.ts";
import { providerDialect, type Spoken } from "../support/provider-dialect.ts";
import { until } from "../support/until.ts";

/** The long run is the promise; the short one is for every change. */
const LONG = process.env["TEST_LONG"] !== undefined;
const SECONDS = LONG ? 60 : 10;
const PER_SECOND = LONG ? 200 : 100;
/** 10 tokens of input and 20 of output at 1 and 4 credits per million. */
const COST = 0.00009;

type Mood = "whole" | "half fail" | "dead";
type Provider = { server: Server; url: string; mood: Mood; calls: number; failed: number };

const DIALECT = providerDialect("chat");
const USAGE = { input_tokens: 10, output_tokens: 20 };
const ANSWERS: Record<Spoken, object> = {
  chat: {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [{ index: 0, message: { role: "assistant", content: "Hello." }, finish_reason: "stop" }],
    usage: { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 },
  },
  responses: {
    id: "resp_1",
    object: "response",
    status: "completed",
    output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "Hello." }] }],
    usage: USAGE,
  },
  messages: {
    id: "msg_1",
    type: "message",
    role: "assistant",
    content: [{ type: "text", text: "Hello." }],
    stop_reason: "end_turn",
    usage: USAGE,
  },
  gemini: {
    candidates: [{ content: { role: "model", parts: [{ text: "Hello." }] }, finishReason: "STOP" }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 20, totalTokenCount: 30 },
  },
  converse: {
    output: { message: { role: "assistant", content: [{ text: "Hello." }] } },
    stopReason: "end_turn",
    usage: { inputTokens: 10, outputTokens: 20, totalTokens: 30 },
  },
};
const ANSWER = JSON.stringify(ANSWERS[DIALECT]);

/** The ways in which a provider fails before its first byte, one after the other. */
const FAILURES: ((response: ServerResponse) => void)[] = [
  (response) => response.writeHead(500).end("{}"),
  (response) => void response.socket?.resetAndDestroy(),
  (response) => response.writeHead(429, { "retry-after": "0" }).end("{}"),
  (response) => response.writeHead(503).end("{}"),
];

async function startProvider(): Promise<Provider> {
  const server = createServer((request, response) => {
    provider.calls++;
    request.resume().once("end", () => {
      // The worst order for something that counts failures in a row is chance.
      const fails = provider.mood === "half fail" && Math.random() < 0.5;
      if (provider.mood === "dead") response.writeHead(500).end("{}");
      else if (fails) FAILURES[provider.failed++ % FAILURES.length]?.(response);
      else response.writeHead(200, { "content-type": "application/json" }).end(ANSWER);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const provider: Provider = { server, url, mood: "whole", calls: 0, failed: 0 };
  return provider;
}

let east: Provider;
let west: Provider;
let gateway: GatewayProcess;
beforeAll(async () => {
  [east, west] = await Promise.all([startProvider(), startProvider()]);
  gateway = await startGatewayProcess({
    providers: [
      { name: "east", base_url: east.url, credential: "none" },
      { name: "west", base_url: west.url, credential: "none" },
    ],
    models: {
      // The simulator's own route comes last and is never needed.
      equals: {
        upstream: "sim-unused",
        priority: 9,
        moreRoutes: ["east", "west"].map((provider) => ({ provider, upstream_model: "equals", format: DIALECT })),
      },
      preferred: {
        upstream: "sim-unused",
        priority: 9,
        moreRoutes: ["east", "west"].map((provider, priority) => ({
          provider,
          priority,
          upstream_model: "preferred",
          format: DIALECT,
        })),
      },
    },
  });
});
afterAll(async () => {
  await gateway.stop();
  for (const { server } of [east, west]) {
    server.closeAllConnections();
    server.close();
  }
});

/** The status; 0 when the connection to the gateway failed, which a caller notices too. */
async function ask(model: string): Promise<number> {
  try {
    return await statusOf(model);
  } catch {
    return 0;
  }
}

async function statusOf(model: string): Promise<number> {
  const response = await fetch(`${gateway.publicUrl}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.keys.credit}`, "content-type": "application/json" },
    body: JSON.stringify({ model, max_tokens: 100, messages: [{ role: "user", content: "Hello" }] }),
  });
  await response.arrayBuffer();
  return response.status;
}

async function used(): Promise<number> {
  const headers = { authorization: `Bearer ${gateway.keys.credit}` };
  const usage = (await (await fetch(`${gateway.publicUrl}/v1/usage`, { headers })).json()) as {
    credits: { used: number };
  };
  return usage.credits.used;
}

test(
  `half of the calls to one of two routes fail for ${SECONDS} s: 99.9 % of callers do not notice, and each pays once`,
  async () => {
    const before = await used();
    east.mood = "half fail";
    const statuses: Promise<number>[] = [];
    const startedAt = Date.now();
    // By the clock and not by the answers: a caller that waits must not make the load lighter.
    while (Date.now() - startedAt < SECONDS * 1_000) {
      const due = Math.floor(((Date.now() - startedAt) / 1_000) * PER_SECOND) - statuses.length;
      for (let request = 0; request < due; request++) statuses.push(ask("equals"));
      await sleep(5);
    }
    const answered = await Promise.all(statuses);
    const whole = answered.filter((status) => status === 200).length;
    east.mood = "whole";

    console.log(
      `${answered.length} requests (not 200: ${answered.filter((status) => status !== 200).join(" ") || "none"}), ${east.failed} calls failed of ${east.calls} to one route, ${west.calls} to the other: ` +
        `${((100 * whole) / answered.length).toFixed(3)} % success`,
    );
    expect(answered.length).toBeGreaterThan(SECONDS * PER_SECOND * 0.9);
    expect(east.failed).toBeGreaterThanOrEqual(5);
    expect(whole / answered.length).toBeGreaterThanOrEqual(0.999);
    expect(await gateway.witness(), "the last resort was not needed").toEqual([]);
    expect((await used()) - before).toBeCloseTo(whole * COST, 6);
  },
  (SECONDS + 60) * 1_000,
);

type RouteShown = { provider: string; upstream_model: string; breaker: string };

async function stateOfPreferred(): Promise<string | undefined> {
  const headers = { authorization: `Bearer ${gateway.adminToken}` };
  const answer = await fetch(`${gateway.adminUrl}/admin/v1/health/routes`, { headers });
  const { data } = (await answer.json()) as { data: RouteShown[] };
  return data.find((route) => route.provider === "east" && route.upstream_model === "preferred")?.breaker;
}

/** What operators are told. */
async function health(): Promise<{ status: number; text: string }> {
  const answer = await fetch(`${gateway.adminUrl}/healthz`);
  return { status: answer.status, text: await answer.text() };
}

test("a dead provider is left alone after five calls, told to operators, and back when one real request succeeds there", async () => {
  const callsBefore = east.calls;
  east.mood = "dead";
  for (let request = 0; request < 20; request++) expect(await ask("preferred")).toBe(200);
  const callsToDead = east.calls - callsBefore;
  expect(await stateOfPreferred()).toBe("open");
  expect(await health()).toEqual({
    status: 200,
    text: expect.stringMatching(/^\{"status":"degraded".*The route to preferred at east is skipped/),
  });

  east.mood = "whole";
  const openedAt = Date.now();
  await until(async () => (await stateOfPreferred()) === "half_open", "the cool-down is over");
  expect(east.calls - callsBefore).toBe(callsToDead);
  expect(await ask("preferred")).toBe(200);
  expect(await stateOfPreferred()).toBe("closed");
  await until(async () => !(await health()).text.includes("preferred at east"), "it is no longer told");

  const seconds = ((Date.now() - openedAt) / 1_000).toFixed(1);
  console.log(
    `dead: ${callsToDead} calls for 20 requests; nothing was asked of it for ${seconds} s; back after one request`,
  );
  expect(callsToDead).toBe(5);
});
