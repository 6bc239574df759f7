import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type Attempt, createDispatch, type DispatchTask } from "../../src/upstream/dispatch.ts";
import { createPools } from "../../src/upstream/pools.ts";
import { createRouteHealth } from "../../src/upstream/route/route-health.ts";
import type { Route } from "../../src/core/catalogue/route.ts";

const closing: (() => unknown)[] = [];

/** Ends all that was opened here, after each test. */
export async function closeProviders(): Promise<void> {
  for (const close of closing.splice(0).toReversed()) await close();
}

/** A provider on this machine that does what the test says, and how often it was asked. */
export async function provider(
  answer: RequestListener,
): Promise<{ url: string; seen: IncomingMessage[]; server: Server }> {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    answer(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, server };
}

let routes = 0;
export const route = (url: string, changes: Partial<Route> = {}): Route => ({
  id: `route-${++routes}`,
  provider: "east",
  baseUrl: `${url}/v1`,
  credentialRef: "env:EAST",
  upstreamModel: "m",
  dialect: "chat",
  conformant: true,
  priority: routes,
  weight: 1,
  // Bounds for what hangs: a test that waits for one of them says how long it is.
  connectTimeoutMs: 30_000,
  firstByteTimeoutMs: 30_000,
  idleTimeoutMs: 30_000,
  concurrencyLimit: null,
  ...changes,
});

export function harness() {
  const state = { isGone: false, skippedMs: 0 };
  const clock = { nowMs: Date.now, elapsedMs: () => performance.now() + state.skippedMs };
  const changes: string[] = [];
  const health = createRouteHealth({
    clock,
    random: () => 0,
    onChange: ({ state: to, reason }) => changes.push(`${to} ${reason}`),
  });
  const pools = createPools({ connectionsPerOrigin: 4 });
  closing.push(pools.close);
  const attempts: Attempt[] = [];
  let gone: (() => void) | null = null;
  const dispatch = createDispatch({
    pools,
    credential: ({ credentialRef }) => {
      if (credentialRef === "env:UNSET") throw new Error("names a variable that is not set");
      return "sk-east-secret";
    },
    health,
    random: Math.random,
    clock,
  });
  const task = (...list: Route[]): DispatchTask => ({
    routes: list,
    answerMode: "whole",
    bodyFor: ({ upstreamModel }) => Buffer.from(JSON.stringify({ model: upstreamModel })),
    headersFor: () => ({}),
    deadlineAtMs: clock.elapsedMs() + 60_000,
    sink: { isGone: () => state.isGone, onGone: (callback) => (state.isGone ? callback() : (gone = callback)) },
    onAttempt: (attempt) => attempts.push(attempt),
  });
  const leave = (): void => {
    state.isGone = true;
    gone?.();
  };
  const skip = (ms: number): void => void (state.skippedMs += ms);
  return { dispatch, task, attempts, leave, health, changes, skip };
}

export const refuseWith =
  (status: number, error: object = {}, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify({ error }));
  };
export const answerOk: RequestListener = (_request, response) => {
  response.writeHead(200, { "content-type": "application/json" });
  response.end("whole");
};

/** Reads a body to its end or its failure. */
export const readBody = (body: NonNullable<Awaited<ReturnType<ReturnType<typeof createDispatch>>>>["answer"]["body"]) =>
  new Promise<string>((resolve) => {
    let text = "";
    body.read({
      chunk: (bytes) => (text += bytes.toString()),
      end: () => resolve(`${text} end`),
      fail: (error) => resolve(`${text} ${"reason" in error ? String(error.reason) : error.message}`),
    });
  });
