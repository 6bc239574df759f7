import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { whyUnavailable } from "../../support/postgres.ts";
import { until } from "../../support/until.ts";
import type { StageKey } from "./ask.ts";
import type { ClientEntry } from "./evidence.ts";
import { startLoad } from "./load.ts";
import { freezeCluster } from "./nemesis.ts";
import { chaosSeed, createRandom } from "./random.ts";
import { expectServing, expectSound, LONG } from "./report.ts";
import { type Gateway, type Stage, startStage } from "./stage.ts";

const CRASHES = LONG ? 20 : 2;
const DOWN_MS = 2_000;
const LONGEST_DOWN_MS = LONG ? 60_000 : 4_000;
const FREEZE_MS = 10_000;
const CUTS = LONG ? 200 : 20;
const STREAMS = 20;
const SEED = chaosSeed();

describe.skipIf(whyUnavailable("15"))("PostgreSQL goes away", () => {
  let stage: Stage;
  let gateways: [Gateway, Gateway];
  let keys: [StageKey, ...StageKey[]];
  const random = createRandom(SEED);

  beforeAll(async () => {
    stage = await startStage();
    gateways = await Promise.all([stage.startGateway(), stage.startGateway()]);
    keys = [
      await stage.makeKey({ credit: 100_000_000_000n }),
      await stage.makeKey({ credit: 5_000_000n }),
      await stage.makeKey({ budget: 1_000_000_000n }),
    ];
    // Every process has seen every key, so that an outage finds them known.
    for (const gateway of gateways) for (const key of keys) await stage.ask({ gateway, key, model: "fast" });
  }, 60_000);
  afterAll(() => stage?.close());

  const load = (callers: number) => startLoad({ stage, gateways: () => gateways, keys, random, callers });

  /** Streams that are open when the fault begins, and how many events each has brought so far. */
  async function openStreams() {
    const events = Array.from({ length: STREAMS }, () => 0);
    let heads = 0;
    const ends = events.map((_, index) =>
      stage.ask({
        gateway: gateways[index % 2] as Gateway,
        key: keys[0],
        model: "long",
        streamed: true,
        maxTokens: 400,
        onHead: () => void (heads += 1),
        onEvents: (count) => void (events[index] = count),
      }),
    );
    await until(() => heads === STREAMS, "the streams are open", 15_000);
    return { events, ends: Promise.all(ends) };
  }

  /** Asks for something new every few milliseconds until told to stop. */
  function knock(): { stop: () => Promise<ClientEntry[]> } {
    const asked: Promise<ClientEntry>[] = [];
    const timer = setInterval(() => {
      asked.push(stage.ask({ gateway: random.pick(gateways), key: keys[0], model: "fast" }));
    }, 10);
    return {
      stop: () => {
        clearInterval(timer);
        return Promise.all(asked);
      },
    };
  }

  test(
    `${CRASHES} crashes under load: streams flow on, new requests hear 503 at once, and every charge is right (CHAOS_SEED=${SEED}) [ERR-25] [MON-34]`,
    async () => {
      await using running = load(20);
      const slowest: number[] = [];
      for (let crash = 0; crash < CRASHES; crash += 1) {
        const streams = await openStreams();
        const before = [...streams.events];
        const downMs = crash === CRASHES - 1 ? LONGEST_DOWN_MS : DOWN_MS;
        await stage.cluster().stop({ mode: "immediate" });
        const knocking = knock();
        await sleep(downMs);
        const flowed = streams.events.filter((count, index) => count > (before[index] ?? 0)).length;
        const knocked = await knocking.stop();
        await stage.cluster().start();
        const ends = await streams.ends;

        console.log(
          `crash ${crash + 1}, down ${downMs} ms: ${flowed}/${STREAMS} streams flowed, ` +
            `${ends.filter(({ terminalAtMs }) => terminalAtMs !== null).length} ended whole; ${latencies(knocked)}`,
        );
        expect(flowed).toBe(STREAMS);
        expect(new Set(knocked.map(({ status }) => status))).toEqual(new Set([503]));
        slowest.push(percentile(knocked, 0.95));
      }
      await running.stop();
      await expectServing(stage, gateways, keys[0]);
      await expectSound(stage, "crashes");
      expect(Math.max(...slowest)).toBeLessThan(100);
    },
    LONG ? 1_200_000 : 120_000,
  );

  test(`a server that stands still for ${FREEZE_MS / 1_000} s: nobody hangs and nobody is charged twice`, async () => {
    await using running = load(20);
    const streams = await openStreams();
    await sleep(500);
    const frozen = freezeCluster(stage.cluster());
    const knocking = knock();
    await sleep(FREEZE_MS);
    const knocked = await knocking.stop();
    frozen.thaw();
    const ends = await streams.ends;
    await running.stop();

    console.log(
      `frozen ${FREEZE_MS} ms: ${ends.filter(({ terminalAtMs }) => terminalAtMs !== null).length}/${STREAMS} streams ended whole; ${latencies(knocked)}`,
    );
    expect(knocked.filter(({ status }) => status === 200)).toEqual([]);
    await expectServing(stage, gateways, keys[0]);
    await expectSound(stage, "frozen server");
  }, 120_000);

  test(
    `${CUTS} connections cut while a call is under way: the answer that was lost is asked for again and not done again`,
    async () => {
      await using running = load(20);
      let cuts = 0;
      for (; cuts < CUTS; cuts += 1) {
        const { proxy } = random.pick(gateways);
        const call = random.pick(["settle_v1", "settle_v1", "admit_v1"]);
        const caught = proxy.next(call, random.pick(["cut_answer", "cut_answer", "cut_query"]));
        await caught.happened;
        if (random.fraction() < 0.2) proxy.cutAll();
      }
      await running.stop();

      console.log(`${cuts} connections cut`);
      await expectServing(stage, gateways, keys[0]);
      await expectSound(stage, "cut connections");
    },
    LONG ? 600_000 : 120_000,
  );
});

const waitsOf = (entries: readonly ClientEntry[]): number[] =>
  entries.map(({ sentAtMs, endedAtMs }) => endedAtMs - sentAtMs).sort((one, two) => one - two);

function percentile(entries: readonly ClientEntry[], share: number): number {
  const waits = waitsOf(entries);
  return waits[Math.min(waits.length - 1, Math.floor(waits.length * share))] ?? 0;
}

const latencies = (entries: readonly ClientEntry[]): string =>
  `${entries.length} new requests, p50 ${percentile(entries, 0.5)} ms, p99 ${percentile(entries, 0.99)} ms, ` +
  `longest ${percentile(entries, 1)} ms`;
