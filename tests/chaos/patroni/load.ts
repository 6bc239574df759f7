import { setTimeout as sleep } from "node:timers/promises";
import type { StageKey } from "../ledger/ask.ts";
import { modelFor, routeFor } from "../ledger/stage-catalogue.ts";
import type { Entry, Gateway, Stage } from "./stage.ts";

/** Requests a second at each gateway, come what may. */
export const PER_SECOND = 10;
/** Streams open at each gateway when the fault comes, half of them over before a new leader can be there. */
export const STREAMS = 8;

export type Load = AsyncDisposable & { stop: () => Promise<void> };

/** Asks at a steady pace, whether answers come or not: plain and streamed, in every format, with credit and with a token budget. */
export function startLoad(stage: Stage, keys: readonly StageKey[]): Load {
  const open = new Set<Promise<Entry>>();
  const timers = stage.gateways.map((gateway) => {
    let count = 0;
    return setInterval(() => {
      const index = (count += 1);
      const route = routeFor(index);
      const key = keys[index % keys.length] as StageKey;
      const streamed = Math.floor(index / 2) % 2 === 0;
      const asked = stage.ask(gateway, { key, route, model: modelFor(route, "fast"), streamed, maxTokens: 100 });
      open.add(asked);
      void asked.finally(() => open.delete(asked));
    }, 1_000 / PER_SECOND);
  });
  const stop = async (): Promise<void> => {
    for (const timer of timers) clearInterval(timer);
    await Promise.all(open);
  };
  return { stop, [Symbol.asyncDispose]: stop };
}

/** Streams at every gateway, all of them open when this resolves. */
export async function openStreams(stage: Stage, key: StageKey): Promise<{ ended: Promise<Entry[]> }> {
  const opened = stage.gateways.flatMap((gateway) =>
    Array.from({ length: STREAMS }, (_, index) => openStream(stage, { gateway, key, index })),
  );
  const streams = await Promise.all(opened);
  return { ended: Promise.all(streams.map(({ ended }) => ended)) };
}

type Wanted = { gateway: Gateway; key: StageKey; index: number };

async function openStream(stage: Stage, { gateway, key, index }: Wanted): Promise<{ ended: Promise<Entry> }> {
  for (;;) {
    const head = Promise.withResolvers<number>();
    const route = routeFor(index);
    const ended = stage.ask(gateway, {
      key,
      route,
      model: modelFor(route, index % 2 === 0 ? "brief" : "lasting"),
      streamed: true,
      maxTokens: 4_000,
      onHead: head.resolve,
    });
    if ((await Promise.race([head.promise, ended.then(({ status }) => status)])) === 200) return { ended };
  }
}

const IN_A_ROW = 10;

/** Waits until a gateway answers many in a row; null when it does not in time. */
export async function untilServing(
  stage: Stage,
  { gateway, key, timeoutMs }: { gateway: Gateway; key: StageKey; timeoutMs: number },
): Promise<number | null> {
  const startedMs = performance.now();
  for (let served = 0; performance.now() - startedMs < timeoutMs;) {
    const { status, terminalAtMs } = await stage.ask(gateway, { key, model: "fast", maxTokens: 100 });
    served = status === 200 && terminalAtMs !== null ? served + 1 : 0;
    if (served === IN_A_ROW) return performance.now() - startedMs;
    await sleep(1_000 / PER_SECOND);
  }
  return null;
}

/** Asks so often at every gateway, a few at a time: more than the purse of the key can pay. */
export async function spendPurse(stage: Stage, key: StageKey, times: number): Promise<void> {
  await Promise.all(
    stage.gateways.map(async (gateway) => {
      let asked = 0;
      const spend = async (): Promise<void> => {
        while ((asked += 1) <= times) await stage.ask(gateway, { key, model: "fast", maxTokens: 20 });
      };
      await Promise.all([spend(), spend(), spend()]);
    }),
  );
}
