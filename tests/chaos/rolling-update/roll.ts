import { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { MAIN } from "../../support/run-tollgate.ts";
import type { StageKey } from "../ledger/ask.ts";
import type { ClientEntry } from "../ledger/evidence.ts";
import { answered } from "../ledger/examine-run.ts";
import { openStreams } from "../ledger/open-streams.ts";
import { modelFor, routeFor } from "../ledger/stage-catalogue.ts";
import type { Stage } from "../ledger/stage.ts";
import type { Deployment } from "./deployment.ts";
import { createPods, type Ended } from "./pods.ts";
import { startService } from "./kube-service.ts";

export type Rolled = {
  /** Requests that were sent all the while, over kept connections and over new ones. */
  requests: ClientEntry[];
  streams: ClientEntry[];
  ended: Ended[];
};

export type Options = {
  stage: Stage;
  deployment: Deployment;
  replicas: number;
  streams: number;
  callers: number;
  /** How long a node takes to learn that a pod is going. */
  proxyDelayMs: number;
  /** Requests that must have been answered by the new pods alone. */
  afterwards: number;
};

/**
 * A rolling update as the chart orders it: migrate, then pod by pod a new one that is ready before an old one is told to end. The
 * streams that the old pods hold go on only when their listeners are closed and the new ones serve alone.
 */
export async function roll(options: Options): Promise<Rolled> {
  const { stage, deployment, replicas } = options;
  await using parts = new AsyncDisposableStack();
  const service = parts.adopt(await startService({ delayMs: options.proxyDelayMs }), (it) => it.close());
  const pods = parts.adopt(createPods({ stage, service, deployment }), (it) => it.close());
  const key = await stage.makeKey({ credit: 100_000_000_000n });
  const old = await Promise.all(Array.from({ length: replicas }, () => pods.start()));
  await service.settled();
  const streams = await openStreams({
    stage,
    gateways: [service],
    key,
    count: options.streams,
    model: "halfway",
    patienceMs: STREAM_PATIENCE_MS,
  });
  const load = startCallers({ stage, url: service.url, key, callers: options.callers });
  parts.defer(() => load.stop().then(() => undefined));
  await answered(stage, options.callers);

  stage.useProgram(MAIN);
  const { code, stderr } = await stage.tollgate("migrate");
  if (code !== 0) throw new Error(`migrate: ${stderr}`);
  const leaving = [];
  for (const pod of old) {
    await pods.start();
    await service.settled();
    leaving.push(pods.terminate(pod));
  }
  await Promise.all(leaving.map(({ listenerClosed }) => listenerClosed));
  await answered(stage, options.afterwards);
  await stage.witness.releaseAll();

  const held = await streams.ended;
  const requests = await load.stop();
  return { requests, streams: held, ended: await Promise.all(leaving.map(({ ended }) => ended)) };
}

/** A machine with other work to do may leave the database without an answer for seconds, which is not what is tried here. */
export const PATIENT = {
  TOLLGATE_LEDGER_TIMEOUT_MS: "60000",
  TOLLGATE_LEDGER_SETTLE_TIMEOUT_MS: "60000",
  TOLLGATE_DATABASE_CONNECT_TIMEOUT_MS: "60000",
  TOLLGATE_DATABASE_STATEMENT_TIMEOUT_MS: "60000",
};

/** The streams are held until the update is done. */
const STREAM_PATIENCE_MS = 600_000;

/** Or the callers alone would keep the machine busy. */
const PAUSE_MS = 25;

type Callers = { stage: Stage; url: string; key: StageKey; callers: number };

/** Each asks again and again: half of them over one connection that they keep, the others over a new one each time. */
function startCallers({ stage, url, key, callers }: Callers) {
  let stopped = false;
  const seen: ClientEntry[] = [];
  const call = async (index: number): Promise<void> => {
    const agent = index % 2 === 0 ? new Agent({ keepAlive: true, maxSockets: 1 }) : undefined;
    for (let turn = index; !stopped; turn += 1) {
      const route = routeFor(turn);
      const model = modelFor(route, "fast");
      const asked = { gateway: { url }, key, route, model, streamed: turn % 3 !== 0, maxTokens: 100 };
      seen.push(await stage.ask(agent === undefined ? asked : { ...asked, agent }));
      await sleep(PAUSE_MS);
    }
    agent?.destroy();
  };
  const running = Promise.all(Array.from({ length: callers }, (_, index) => call(index)));
  return {
    stop: async (): Promise<ClientEntry[]> => {
      stopped = true;
      await running;
      return seen;
    },
  };
}

/** What was not answered with 200 and to its end, by what was seen of it. */
export const failedOf = (entries: readonly ClientEntry[]): string[] =>
  entries
    .filter(({ status, terminalAtMs, code }) => status !== 200 || terminalAtMs === null || code !== null)
    .map(({ route, status, code, terminalAtMs, events }) =>
      JSON.stringify({ route, status, code, whole: terminalAtMs !== null, events }),
    );
