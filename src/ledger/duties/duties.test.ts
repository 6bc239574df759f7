import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { SERVERS } from "../../../tests/ledger/engines.ts";
import { type LoneKey, askOf, creditsOf, loneKey } from "../../../tests/support/lone-key.ts";
import { until } from "../../../tests/support/until.ts";
import { systemClock } from "../../core/clock.ts";
import { createId } from "../../core/ids.ts";
import { NO_USAGE } from "../../core/money/usage.ts";
import type { Database } from "../../db/database.ts";
import { type Duties, startDuties } from "./duties.ts";
import { createHousekeepingStore } from "./housekeeping-store.ts";
import { startLease } from "./lease.ts";
import { createLedgerStore, ledgerFailureOf } from "../turn/ledger-store.ts";
import type { Ledger } from "../ledger.ts";
import { startSweeper } from "./sweeper.ts";

const clock = systemClock;

type Under = { running?: string[]; skippedMs?: () => number };

describe.each(SERVERS)("$name", ({ reason, open }) => {
  let database: Database;
  let close: () => Promise<void>;
  let ledger: Ledger;
  let key: LoneKey;
  let keyId: string;
  let nowMs: number;

  beforeEach(async () => {
    if (reason !== null) return;
    ({ database, close } = await open());
    ledger = createLedgerStore(database);
    nowMs = Date.now();
    key = await loneKey(database, { funds: 100n });
    keyId = key.keyId;
  });
  afterEach(async () => {
    if (reason === null) await close();
  });

  async function advance(ms: number): Promise<void> {
    nowMs += ms;
    await database.query("update test_clock set now = $1", [new Date(nowMs)]);
  }
  async function admit(processId: string): Promise<string> {
    const ask = askOf(key, { id: createId(nowMs), most: 50n });
    expect(await ledger.admit(processId, [ask])).toEqual([{ kind: "admitted", granted: creditsOf(50n) }]);
    return ask.id;
  }
  const namedBy = (id: string) => ({ id, keyId, bucket: 7 });
  const usage = { ...NO_USAGE, inputTokens: 1, outputTokens: 1 };
  const checkpoint = (id: string, credits: bigint) => ({
    ...namedBy(id),
    seq: 1,
    credits,
    usage,
    contentDelivered: true,
  });

  async function start(processId: string, heard: string[], under: Under = {}): Promise<Duties> {
    const { running = [], skippedMs = () => 0 } = under;
    return startDuties({
      ledger,
      housekeeping: createHousekeepingStore(database),
      failureOf: ledgerFailureOf,
      processId,
      clock: { ...clock, elapsedMs: () => clock.elapsedMs() + skippedMs() },
      batchItems: 256,
      events: {
        dutyDone: (duty) => heard.push(duty),
        dutyFailed: (duty, error) => heard.push(`${duty} failed: ${String(error)}`),
        leaseLost: () => heard.push("lease lost"),
        holdsSwept: () => undefined,
        holdQuarantined: () => undefined,
        lostHoldsCounted: () => undefined,
        checkpointsWritten: (count) => heard.push(`${count} written`),
        holdFoundClosed: () => undefined,
        dayPartitioned: ({ result }) => heard.push(result),
      },
      running: () => running.map(namedBy),
      onLeaseLost: () => undefined,
      onHoldClosed: (holdId) => heard.push(`closed ${holdId}`),
    });
  }

  test.skipIf(reason !== null)(
    "a process is ready when its lease stands and today has its partitions, and leaves nothing running behind",
    async () => {
      const heard: string[] = [];
      const duties = await start(createId(nowMs), heard);
      expect(heard).toEqual(expect.arrayContaining(["lease", "made"]));
      expect(await database.query("select count(*) from process")).toEqual([{ count: 1n }]);
      await until(() => heard.includes("rollup"), "the first rollup");
      await duties.stop();

      expect(heard.filter((it) => it.includes("failed"))).toEqual([]);
    },
  );

  test.skipIf(reason !== null)(
    "checkpoints reach the hold, and a request that was voided is told to its stream",
    async () => {
      const heard: string[] = [];
      const processId = createId(nowMs);
      const duties = await start(processId, heard);
      const [open, gone] = [await admit(processId), await admit(processId)];
      await ledger.void([namedBy(gone)]);

      duties.checkpoints.add(checkpoint(open, 9n));
      duties.checkpoints.add(checkpoint(gone, 9n));
      await until(() => heard.includes(`closed ${gone}`), "the voided request is told");
      await duties.stop();

      expect(heard).toContain("1 written");
      expect(await database.query("select id, checkpoint_credits as cost from hold")).toEqual([{ id: open, cost: 9n }]);
    },
  );

  test.skipIf(reason !== null)(
    "a process that slept beyond its lease asks which of its requests others have ended, and no checkpoint suffers from it",
    async () => {
      const heard: string[] = [];
      const running: string[] = [];
      let skippedMs = 0;
      const processId = createId(nowMs);
      const duties = await start(processId, heard, { running, skippedMs: () => skippedMs });
      const [open, gone] = [await admit(processId), await admit(processId)];
      running.push(open, gone);
      await ledger.checkpoint([checkpoint(open, 9n)]);
      await ledger.void([namedBy(gone)]);

      skippedMs = 20_000;
      await until(() => heard.includes(`closed ${gone}`), "the ended request is told");
      await duties.stop();

      expect(heard).not.toContain(`closed ${open}`);
      expect(
        await database.query("select id, checkpoint_credits as cost, content_delivered as told from hold"),
      ).toEqual([{ id: open, cost: 9n, told: true }]);
    },
  );

  test.skipIf(reason !== null)(
    "what a dead process held is settled at its last checkpoint by one that lives",
    async () => {
      const [dead, alive] = [createId(nowMs), createId(nowMs)];
      await ledger.heartbeat(dead);
      const id = await admit(dead);
      await ledger.checkpoint([checkpoint(id, 20n)]);
      const [renewals, sweeps]: [number[], number[]] = [[], []];
      const lease = startLease({
        heartbeat: ledger.heartbeat,
        processId: alive,
        clock,
        renewMs: 5,
        onRenewed: () => renewals.push(nowMs),
        onLapsed: () => undefined,
        onFailed: (error) => expect.unreachable(String(error)),
        onLost: () => expect.unreachable(),
      });
      await lease.renewed;
      const sweeper = startSweeper({
        ledger,
        failureOf: ledgerFailureOf,
        processId: alive,
        clock,
        everyMs: 5,
        onSwept: (holds) => sweeps.push(holds),
        onQuarantined: ({ reason }) => expect.unreachable(reason),
        onCounted: () => undefined,
        onFailed: (error) => expect.unreachable(String(error)),
      });

      for (const _ of [1, 2, 3, 4]) {
        await advance(5_000);
        const seen = renewals.length;
        await until(() => renewals.length > seen + 1, "the living process renews");
      }
      await until(() => sweeps.includes(1), "the hold is swept");
      await Promise.all([sweeper.stop(), lease.stop()]);

      expect((await ledger.usage(keyId))?.counters).toMatchObject([{ posted: 80n, held: 0n, used: 20n }]);
    },
  );
});
