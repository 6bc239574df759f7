import { setTimeout as sleep } from "node:timers/promises";
import type { StageKey } from "./ask.ts";
import type { ClientEntry, Route } from "./evidence.ts";
import type { Random } from "./random.ts";
import { modelFor } from "./stage-catalogue.ts";
import type { Gateway, Stage, StageAsk } from "./stage.ts";

export type LoadOptions = {
  stage: Stage;
  /** Those that can be asked now; the list may change while the load runs. */
  gateways: () => readonly Gateway[];
  keys: readonly [StageKey, ...StageKey[]];
  random: Random;
  /** Callers, each with one request open. */
  callers: number;
};

/** Leaving its scope stops it, whatever went wrong there. */
export type Load = AsyncDisposable & { stop: () => Promise<void> };

const ATTEMPTS = 3;

/** Many callers of every temper: plain and streamed, patient and not, some with an Idempotency-Key that they use again. */
export function startLoad({ stage, gateways, keys, random, callers }: LoadOptions): Load {
  let stopped = false;
  let claims = 0;

  const call = async (): Promise<void> => {
    while (!stopped) {
      const gateway = anyOf(gateways());
      if (gateway === null) await sleep(20);
      else await persist(temper(gateway));
    }
  };
  const anyOf = (all: readonly Gateway[]): Gateway | null => all[random.integer(all.length)] ?? null;

  /** What a caller is after, by chance. */
  const temper = (gateway: Gateway): StageAsk => {
    const streamed = random.fraction() < 0.7;
    const chance = random.fraction();
    const route = random.pick<Route>(["chat", "chat", "responses", "messages"]);
    return {
      gateway,
      key: random.pick(keys),
      route,
      model: modelFor(route, random.pick(["fast", "fast", "fast", "slow", "slow", "dying", "erring", "silent"])),
      streamed,
      maxTokens: 100,
      marker: stage.marker(),
      ...(random.fraction() < 0.3 && { claim: `claim-${(claims += 1)}-${gateway.pid}` }),
      ...(chance < 0.1 && { leave: { afterMs: random.integer(1_500) } }),
      ...(chance > 0.9 && streamed && { leave: { afterEvents: 1 + random.integer(20) } }),
    };
  };

  /** Asks again with the same key and the same bytes, as long as that can help. */
  const persist = async (wanted: StageAsk): Promise<void> => {
    for (let attempt = 1; ; attempt += 1) {
      const entry = await stage.ask(wanted);
      // Who is refused comes back later, or the refused alone would keep the machine busy.
      if (entry.status !== 200) await sleep(50 + random.integer(250));
      if (wanted.claim === undefined || attempt === ATTEMPTS || stopped || !worthAnother(entry)) return;
      wanted = { ...wanted, gateway: anyOf(gateways()) ?? wanted.gateway };
    }
  };

  const running = Promise.all(Array.from({ length: callers }, call));
  const stop = async (): Promise<void> => {
    stopped = true;
    await running;
  };
  return { stop, [Symbol.asyncDispose]: stop };
}

/** Sometimes it asks again though the answer came, to see the replay. */
const worthAnother = ({ status, left, sentAtMs }: ClientEntry): boolean =>
  !left && (status !== 200 || sentAtMs % 3 === 0);
