import { Agent } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { whyUnavailable } from "../../support/postgres.ts";
import { promptOf, type StageKey } from "./ask.ts";
import type { ClientEntry } from "./evidence.ts";
import { readLedger } from "./read-ledger.ts";
import { expectSound, expectVerified, LONG } from "./report.ts";
import { type Gateway, type Stage, startStage } from "./stage.ts";
import { priceOf } from "./tariff.ts";
import { WIRE_ROUTES } from "./wire-routes.ts";

const CROWD = 500;
const AFFORDABLE = 10;
const OUTPUT_TOKENS = 50;
const SAME_KEY = 64;
const HOLDS = LONG ? 100_000 : 1_500;
const CALLERS = 32;
/** So many calls the provider remembers with all their details. */
const PORTION = 20_000;

/** As many bytes as every request of the crowd has, for which the provider claims as many tokens: what can be asked is charged. */
const BODY_BYTES = JSON.stringify(
  WIRE_ROUTES.chat.body({
    model: "exact",
    prompt: promptOf("mk-000000-0000000"),
    streamed: false,
    maxTokens: OUTPUT_TOKENS,
  }),
).length;
const MOST = priceOf("credit", { inputTokens: BODY_BYTES, outputTokens: OUTPUT_TOKENS });

describe.skipIf(whyUnavailable("15"))("a crowd on one key", () => {
  let stage: Stage;
  let gateways: [Gateway, Gateway, Gateway, Gateway];

  beforeAll(async () => {
    stage = await startStage({
      models: {
        exact: `sim+input=${BODY_BYTES}+tokens=${OUTPUT_TOKENS}+ttft=200`,
        patient: "sim+tokens=20+ttft=500",
        one: "sim+tokens=1",
      },
    });
    const start = (): Promise<Gateway> => stage.startGateway();
    gateways = await Promise.all([start(), start(), start(), start()]);
  });
  afterAll(() => stage?.close());

  const balanceOf = async ({ id }: StageKey) =>
    (await readLedger(stage.cluster().url())).balances.find(({ keyId }) => keyId === id);

  test.each([1, 4])(
    `${CROWD} requests at once on a balance for ${AFFORDABLE}: exactly ${AFFORDABLE} start, through %i processes`,
    async (processes) => {
      const key = await stage.makeKey({ credit: MOST * BigInt(AFFORDABLE) });
      const gatewayOf = (index: number): Gateway => gateways[index % processes] as Gateway;
      const before = (await stage.witness.calls()).length;

      const entries = await Promise.all(
        Array.from({ length: CROWD }, (_, index) =>
          stage.ask({
            gateway: gatewayOf(index),
            key,
            model: "exact",
            maxTokens: OUTPUT_TOKENS,
            least: priceOf("credit", { inputTokens: 0, outputTokens: OUTPUT_TOKENS }),
          }),
        ),
      );

      console.log(`${CROWD} at once, ${processes} processes: ${tally(entries)}`);
      expect(entries.filter(({ status }) => status === 200)).toHaveLength(AFFORDABLE);
      expect((await stage.witness.calls()).length - before).toBe(AFFORDABLE);
      const refused = entries.filter(({ status }) => status !== 200).map(({ status, code }) => `${status} ${code}`);
      expect(refused).toHaveLength(CROWD - AFFORDABLE);
      expect(new Set([...refused, "402 insufficient_credit", "429 balance_temporarily_reserved"])).toEqual(
        new Set(["402 insufficient_credit", "429 balance_temporarily_reserved"]),
      );
      expect(await balanceOf(key)).toMatchObject({ posted: 0n, held: 0n });
      const late = await stage.ask({ gateway: gatewayOf(0), key, model: "exact", maxTokens: OUTPUT_TOKENS, least: 1n });
      expect(late).toMatchObject({ status: 402, code: "insufficient_credit" });
    },
  );

  test.each([false, true])(
    `the same Idempotency-Key ${SAME_KEY} times at once is one call and one charge (streamed: %s)`,
    async (streamed) => {
      const key = await stage.makeKey({ credit: 1_000_000_000n });
      const marker = stage.marker();
      const wanted = { key, model: "patient", marker, claim: `claim ${marker}`, streamed };
      const entries = await Promise.all(
        Array.from({ length: SAME_KEY }, (_, index) =>
          stage.ask({ gateway: gateways[index % gateways.length] as Gateway, ...wanted }),
        ),
      );
      const late = await stage.ask({ gateway: gateways[1], ...wanted });

      console.log(`${SAME_KEY} with one key: ${tally(entries)}; afterwards ${tally([late])}`);
      expect((await stage.witness.calls()).filter(({ body }) => JSON.stringify(body).includes(marker))).toHaveLength(1);
      const first = entries.filter(({ status, replayed }) => status === 200 && !replayed);
      expect(first).toHaveLength(1);
      const others = entries.filter((entry) => entry !== first[0]);
      expect(others.filter(({ status, replayed }) => status !== 409 && !replayed)).toEqual([]);
      const replays = [...others, late].filter(({ replayed }) => replayed);
      expect(replays.filter(({ sha256 }) => sha256 !== first[0]?.sha256)).toEqual([]);
      const { charges } = await readLedger(stage.cluster().url());
      expect(charges.filter(({ keyId, amount }) => keyId === key.id && amount > 0n)).toHaveLength(1);
    },
  );

  test(
    `after ${HOLDS} further holds the journal folds to every balance`,
    async () => {
      const keys = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          stage.makeKey(index === 0 ? { budget: 1_000_000_000n } : { credit: 100_000_000_000n }),
        ),
      );
      const agent = new Agent({ keepAlive: true, maxSockets: CALLERS });
      await stage.witness.archive();
      const startedMs = performance.now();
      let asked = 0;
      const callUpTo = async (goal: number): Promise<void> => {
        while (asked < goal) {
          const index = (asked += 1);
          const [gateway, key] = [gateways[index % 4] as Gateway, keys[index % 8] as StageKey];
          await stage.ask({ gateway, key, model: "one", streamed: index % 3 === 0, maxTokens: 20, agent });
        }
      };
      while (asked < HOLDS) {
        const goal = Math.min(HOLDS, asked + PORTION);
        await Promise.all(Array.from({ length: CALLERS }, () => callUpTo(goal)));
        await stage.witness.archive();
      }
      agent.destroy();
      const seconds = (performance.now() - startedMs) / 1_000;

      console.log(`${asked} requests in ${seconds.toFixed(0)} s, ${(asked / seconds).toFixed(0)}/s`);
      await expectSound(stage, "crowd");
      await expectVerified(stage);
    },
    LONG ? 1_800_000 : 300_000,
  );
});

/** How many heard what. */
function tally(entries: readonly ClientEntry[]): string {
  const counts = new Map<string, number>();
  for (const { status, code, replayed } of entries) {
    const name = `${status} ${code ?? (replayed ? "replayed" : "answered")}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, count]) => `${count} × ${name}`).join(", ");
}
