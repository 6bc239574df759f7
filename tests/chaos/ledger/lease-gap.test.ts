import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { whyUnavailable } from "../../support/postgres.ts";
import { until } from "../../support/until.ts";
import type { StageKey } from "./ask.ts";
import type { ClientEntry } from "./evidence.ts";
import { withClient } from "./read-ledger.ts";
import { expectSound } from "./report.ts";
import { type Gateway, type Stage, startStage } from "./stage.ts";

/** Longer than a process takes to renew its lease after it has been cut off. */
const ASKING_MS = 7_000;
const SWEPT_YOUNG = "select hold_id from charge where kind = 5 and hold_id > uuid_floor(at - interval '15 seconds')";
const LAPSED = "select count(*)::int as count from process where lease_until < clock_timestamp()";

describe.skipIf(whyUnavailable("15"))("a gateway is cut off from PostgreSQL until its lease has run out", () => {
  let stage: Stage;
  let [alive, cut]: [Gateway, Gateway] = [] as never;
  let key: StageKey;

  beforeAll(async () => {
    stage = await startStage();
    [alive, cut] = [await stage.startGateway(), await stage.startGateway()];
    key = await stage.makeKey({ credit: 100_000_000_000n });
    for (const gateway of [alive, cut]) await stage.ask({ gateway, key, model: "fast" });
  });
  afterAll(() => stage?.close());

  test("what it admits as soon as it is back is not swept by the other, and every stream ends whole", async () => {
    await until(cutOff, "its lease has run out", 40_000);
    const backMs = Date.now();
    const asked: Promise<ClientEntry>[] = [];
    while (Date.now() < backMs + ASKING_MS) {
      asked.push(stage.ask({ gateway: cut, key, model: "slow", streamed: true }));
      await sleep(60);
    }
    const entries = (await Promise.all(asked)).filter(({ status }) => status === 200);

    const firstMs = Math.min(...entries.map(({ sentAtMs }) => sentAtMs)) - backMs;
    const whole = entries.filter(({ terminalAtMs }) => terminalAtMs !== null).length;
    console.log(
      `${whole} of ${entries.length} streams whole, the first asked for ${firstMs} ms after the connection was back`,
    );
    expect(whole).toBeGreaterThan(10);
    expect(await sweptYoung()).toEqual([]);
    const cutShort = entries.filter(({ terminalAtMs }) => terminalAtMs === null);
    expect(await endsOf(cutShort, backMs)).toEqual([]);
    await expectSound(stage, "lease gap");
  });

  /** What was swept although it was younger than a lease. */
  const sweptYoung = (): Promise<unknown[]> =>
    withClient(stage.cluster().url(), async (client) => (await client.query(SWEPT_YOUNG)).rows as unknown[]);

  /** What became of these streams, as their callers and the ledger say. */
  async function endsOf(entries: readonly ClientEntry[], backMs: number): Promise<unknown[]> {
    const { ledger } = await stage.evidence();
    const kinds = new Map(ledger.charges.map(({ holdId, kind }) => [holdId, kind]));
    return entries.map(({ code, events, hung, holdId, sentAtMs, endedAtMs }) => {
      const charge = kinds.get(holdId ?? "") ?? null;
      return { code, events, hung, charge, askedMs: sentAtMs - backMs, tookMs: endedAtMs - sentAtMs };
    });
  }

  /** Breaks whatever connection there is, and asks whether it has been enough. */
  async function cutOff(): Promise<boolean> {
    const untilMs = performance.now() + 500;
    while (performance.now() < untilMs) {
      cut.proxy.cutAll();
      await sleep(0);
    }
    return withClient(stage.cluster().url(), async (client) => {
      const { rows } = await client.query<{ count: number }>(LAPSED);
      return (rows[0]?.count ?? 0) > 0;
    });
  }
});
