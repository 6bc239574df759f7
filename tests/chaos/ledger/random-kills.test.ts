import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { whyUnavailable } from "../../support/postgres.ts";
import type { StageKey } from "./ask.ts";
import type { ClientEntry } from "./evidence.ts";
import { startLoad } from "./load.ts";
import { openStreams } from "./open-streams.ts";
import { createRandom } from "./random.ts";
import { runSeed } from "../../support/run-seed.ts";
import { expectServing, expectSound, expectVerified, LONG } from "./report.ts";
import { sweptLate } from "./request-checks.ts";
import { type Gateway, type Stage, startStage } from "./stage.ts";

const ROUNDS = LONG ? 200 : 3;
/** So many kills, and the witnesses are heard in between. */
const BOUT = 50;
const OPEN_STREAMS = 50;
/** In one round of three the streams go on for so long before the kill that they must have been written down. */
const LONG_LIFE_MS = 3_000;
const SEED = runSeed();

describe.skipIf(whyUnavailable("15"))("kill -9 at random", () => {
  let stage: Stage;
  let keys: [StageKey, ...StageKey[]];
  const gateways: Gateway[] = [];

  beforeAll(async () => {
    stage = await startStage({ models: { endless: "sim+tokens=4000+rate=40" } });
    gateways.push(...(await Promise.all([stage.startGateway(), stage.startGateway(), stage.startGateway()])));
    keys = [
      await stage.makeKey({ credit: 100_000_000_000n }),
      await stage.makeKey({ credit: 100_000_000_000n }),
      // A little: a few requests at a time, until it is gone.
      await stage.makeKey({ credit: 5_000_000n }),
      await stage.makeKey({ budget: 1_000_000_000n }),
      await stage.makeKey({ credit: 100_000_000_000n, rpmLimit: 60 }),
    ];
  });
  afterAll(() => stage?.close());

  const living = (): Gateway[] => gateways.filter(({ alive }) => alive());
  const random = createRandom(SEED);
  const streams: ClientEntry[] = [];
  let kills = 0;

  /** Under load, one process after the other is killed with its streams open, while another is started in its place. */
  async function bout(rounds: number): Promise<void> {
    await using load = startLoad({ stage, gateways: living, keys, random, callers: 20 });
    const opened: Promise<ClientEntry[]>[] = [];
    let replaced: Promise<unknown> = Promise.resolve();
    for (let round = 0; round < rounds; round += 1) {
      const victim = random.pick(living() as [Gateway, ...Gateway[]]);
      const common = { stage, gateways: [victim], key: keys[0], model: "endless" };
      const { ended } = await openStreams({ ...common, count: OPEN_STREAMS });
      opened.push(ended);
      await sleep(random.integer(1_000) + (round % 3 === 0 ? LONG_LIFE_MS : 0));
      await replaced;
      victim.signal("SIGKILL");
      await victim.ended;
      kills += 1;
      replaced = stage.startGateway().then((gateway) => gateways.push(gateway));
    }
    await Promise.all([replaced, load.stop()]);
    streams.push(...(await Promise.all(opened)).flat());
  }

  test(
    `${ROUNDS} rounds with at least ${OPEN_STREAMS} streams open: every charge once and right (TEST_SEED=${SEED})`,
    async () => {
      while (kills < ROUNDS) {
        await bout(Math.min(BOUT, ROUNDS - kills));
        const broken = streams.filter(({ terminalAtMs }) => terminalAtMs === null).length;
        console.log(
          `${kills} kills, ${streams.length} streams opened for them, ${broken} broken by them, seed ${SEED}`,
        );
        await expectServing(stage, living(), keys[0]);
        await expectSound(stage, "random kills");
        expect(broken).toBe(kills * OPEN_STREAMS);
        const written = sweptLate(await stage.evidence()).length;
        console.log(`${written} streams were swept long after their first content, each for more than nothing`);
        expect(written).toBeGreaterThanOrEqual(OPEN_STREAMS);
      }
      await expectVerified(stage);
    },
    LONG ? 3_600_000 : 300_000,
  );
});
