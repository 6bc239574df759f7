import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { whyUnavailable } from "../../support/postgres.ts";
import { type Interference, SETTLING } from "../../support/postgres-proxy.ts";
import { until } from "../../support/until.ts";
import { readLedger } from "./read-ledger.ts";
import { expectSound } from "./report.ts";
import { type Gateway, type Stage, startStage } from "./stage.ts";
import { join } from "./stories.ts";

/** Waited for in each case, and enough for the retry of each on a busy machine. */
const SETTLE_TIMEOUT_MS = 3_000;

describe.skipIf(whyUnavailable("15"))("a settlement that is not confirmed in time", () => {
  let stage: Stage;
  let gateway: Gateway;

  beforeAll(async () => {
    stage = await startStage({ settings: { TOLLGATE_LEDGER_SETTLE_TIMEOUT_MS: String(SETTLE_TIMEOUT_MS) } });
    gateway = await stage.startGateway();
  });
  afterAll(() => stage?.close());

  const CASES: [does: string, streamed: boolean, interference: Interference][] = [
    ["was applied, plain", false, "hold_answer"],
    ["was applied, streamed", true, "hold_answer"],
    ["has not arrived, plain", false, "hold_query"],
    ["has not arrived, streamed", true, "hold_query"],
  ];

  test.each(CASES)(
    "and %s: the caller hears an error, pays nothing, and the same key runs again unless content was delivered [IDM-18] [IDM-19]",
    async (_does, streamed, interference) => {
      const key = await stage.makeKey({ credit: 1_000_000_000n });
      const marker = stage.marker();
      const wanted = { gateway, key, model: "fast", marker, claim: `claim ${marker}`, streamed };
      const caught = gateway.proxy.next(SETTLING, interference);
      const told = await stage.ask(wanted);
      caught.release();
      await until(() => nothingCharged(key.id), "what was charged is given back");

      expect(told).toMatchObject({ terminalAtMs: null, code: "service_unavailable", status: streamed ? 200 : 503 });
      const { balances } = await readLedger(stage.cluster().url());
      expect(balances.find(({ keyId }) => keyId === key.id)).toMatchObject({ posted: 1_000_000_000n, held: 0n });
      const again = await stage.ask(wanted);
      console.log(
        `${interference}, ${streamed ? "streamed" : "plain"}: the retry heard ${again.status} ${again.code ?? ""}`,
      );
      expect([again.status, again.code]).toEqual(streamed ? [409, "idempotency_stream_interrupted"] : [200, null]);
    },
  );

  /** The hold has ended, and if it was charged it was refunded. */
  async function nothingCharged(keyId: string): Promise<boolean> {
    const evidence = await stage.evidence();
    const { stories } = join(evidence);
    const mine = stories.filter(({ client, charge }) => client.keyId === keyId && charge !== null);
    return mine.length > 0 && mine.every(({ net }) => net === 0n) && evidence.ledger.holds.length === 0;
  }

  test("after all of it the three witnesses agree", async () => {
    await expectSound(stage, "unconfirmed settlements");
  });
});
