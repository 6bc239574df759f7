import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { whyUnavailable } from "../../support/postgres.ts";
import { ADMITTING, SETTLING } from "../../support/postgres-proxy.ts";
import { until } from "../../support/until.ts";
import type { StageKey } from "./ask.ts";
import type { ChargeRow, ClientEntry, Route, Tokens } from "./evidence.ts";
import { openStreams } from "./open-streams.ts";
import { readLedger, withClient } from "./read-ledger.ts";
import { expectSound, LONG } from "./report.ts";
import { courseNumber } from "../../support/provider-dialect.ts";
import { modelFor, routeFor } from "./stage-catalogue.ts";
import { type Gateway, type Stage, startStage } from "./stage.ts";
import { priceOf } from "./tariff.ts";

const PLENTY = 1_000_000_000n;
/** Longer than a lease, so that the frozen process is given up by the others. */
const FREEZE_MS = 22_000;

type Point = {
  name: string;
  model: string;
  /** Lets the request come to the point; resolves there. */
  reach: (scene: Scene) => Promise<void>;
  /** After the process is gone. */
  after?: (scene: Scene) => Promise<void>;
  /** What may be charged for it in the end. */
  charge: (charge: ChargeRow, usage: Tokens) => void;
  /** What the same Idempotency-Key hears afterwards: it runs, or is told why it cannot. */
  retried: readonly number[];
};

type Scene = { gateway: Gateway; key: StageKey; marker: string; sent: () => void };

const free = ({ kind, amount }: ChargeRow): void => expect({ kind, amount }).toEqual({ kind: "swept", amount: 0n });
const atLastCheckpoint = ({ kind, amount }: ChargeRow, usage: Tokens): void => {
  expect(kind).toBe("swept");
  expect(amount).toBeGreaterThan(0n);
  expect(amount).toBeLessThanOrEqual(priceOf("credit", usage) * 2n);
};
const full = ({ kind, amount }: ChargeRow, usage: Tokens): void =>
  expect({ kind, amount }).toEqual({ kind: "completed", amount: priceOf("credit", usage) });

describe.skipIf(whyUnavailable("15"))("kill -9 at a named point", () => {
  let stage: Stage;
  let survivor: Gateway;
  const locks: { release: () => void }[] = [];

  const POINTS: Point[] = [
    {
      name: "after the admission, before it is heard of",
      model: "forty",
      reach: async ({ gateway, sent }) => {
        const caught = gateway.proxy.next(ADMITTING, "hold_answer");
        sent();
        await caught.happened;
      },
      charge: free,
      retried: [200],
    },
    {
      name: "before the provider hears of it",
      model: "unreached",
      reach: async ({ gateway, key, sent }) => {
        const settledBefore = gateway.proxy.calls(SETTLING);
        sent();
        await until(() => hasHold(key), "the request is admitted");
        // The answer of the ledger has been heard when the next call of any kind is made; a moment is enough here.
        await sleep(300);
        expect(gateway.proxy.calls(SETTLING)).toBe(settledBefore);
      },
      charge: free,
      // Its provider would be waited for too long.
      retried: [],
    },
    {
      name: "in the middle of a stream",
      model: "halfway",
      reach: async ({ key, marker, sent }) => {
        sent();
        await stage.witness.whenPaused(marker);
        await untilWrittenDown(key);
      },
      charge: atLastCheckpoint,
      retried: [409],
    },
    {
      name: "after the usage arrived, before the settlement leaves",
      model: "halfway",
      reach: async ({ gateway, key, marker, sent }) => {
        const caught = gateway.proxy.next(SETTLING, "hold_query");
        sent();
        const goOn = await stage.witness.whenPaused(marker);
        await untilWrittenDown(key);
        await goOn();
        await caught.happened;
      },
      charge: atLastCheckpoint,
      retried: [409],
    },
    {
      name: "while the database settles",
      model: "halfway",
      reach: async ({ key, marker, gateway, sent }) => {
        sent();
        const goOn = await stage.witness.whenPaused(marker);
        locks.push(await lockBalance(key));
        await goOn();
        await until(() => settling(gateway), "the settlement waits for the balance");
      },
      after: async () => {
        await sleep(200);
        locks.pop()?.release();
      },
      charge: full,
      retried: [200, 409],
    },
    {
      name: "after the settlement, before the terminal event",
      model: "forty",
      reach: async ({ gateway, sent }) => {
        const caught = gateway.proxy.next(SETTLING, "hold_answer");
        sent();
        await caught.happened;
      },
      charge: full,
      retried: [200, 409],
    },
  ];

  beforeAll(async () => {
    stage = await startStage({
      patient: true,
      models: { forty: "sim+tokens=40", endless: "sim+tokens=4000+rate=40" },
      // A checkpoint every few tokens, so that what is swept is close to what was delivered.
      settings: { TOLLGATE_LEDGER_CHECKPOINT_WORTH: "0.00002", TOLLGATE_LEDGER_SETTLE_TIMEOUT_MS: "5000" },
    });
    survivor = await stage.startGateway();
  });
  afterAll(() => stage?.close());

  /** Streams that end before what they have come to is written down leave no trace on what comes after them. */
  async function beBusy(gateway: Gateway): Promise<void> {
    const key = await stage.makeKey({ credit: PLENTY });
    for (const _ of ["first", "second"]) {
      const { status } = await stage.ask({ gateway, key, model: "fast", streamed: true, maxTokens: 100 });
      expect(status).toBe(200);
    }
  }
  async function hasHold(key: StageKey): Promise<boolean> {
    return (await readLedger(stage.cluster().url())).holds.some(({ keyId }) => keyId === key.id);
  }
  /** Checkpoints are gathered for a while before they are written. */
  function untilWrittenDown({ id }: StageKey): Promise<void> {
    const sql = "select from hold where key_id = $1 and checkpoint_credits > 0 and content_delivered";
    const written = async (): Promise<boolean> =>
      (await withClient(stage.cluster().url(), (client) => client.query(sql, [id]))).rowCount === 1;
    return until(written, "what was delivered is written down");
  }
  /** What the provider says the whole answer takes; nothing where it was not reached. */
  async function usageOf(marker: string): Promise<Tokens> {
    const call = (await stage.witness.testimony()).find((entry) => entry.marker === marker);
    return call?.usage ?? { inputTokens: 0, outputTokens: 0 };
  }
  async function settling({ proxy }: Gateway): Promise<boolean> {
    const sql = "select from pg_stat_activity where wait_event_type = 'Lock' and query like '%turn_v_%'";
    const waiting = await withClient(stage.cluster().url(), async (client) => (await client.query(sql)).rowCount);
    return proxy.calls(SETTLING) > 0 && waiting === 1;
  }
  async function lockBalance({ id }: StageKey): Promise<{ release: () => void }> {
    const held = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    void withClient(stage.cluster().url(), async (client) => {
      await client.query("begin");
      await client.query("select from balance where key_id = $1 for update", [id]);
      locked.resolve();
      await held.promise;
      await client.query("rollback");
    });
    await locked.promise;
    return { release: held.resolve };
  }

  for (const { point, route } of scenes(POINTS)) {
    const promise = "charged at most once, in bounds, and nothing stays held [MON-37]";
    test.concurrent(`${point.name}, ${route}: ${promise}`, async () => {
      const [gateway, key] = await Promise.all([stage.startGateway(), stage.makeKey({ credit: PLENTY })]);
      const marker = stage.marker();
      const model = modelFor(route, point.model);
      const wanted = { key, route, model, marker, streamed: true, maxTokens: 100, claim: `claim ${marker}` };
      let attempt: Promise<ClientEntry> | undefined;
      const scene = { gateway, key, marker, sent: () => void (attempt = stage.ask({ gateway, ...wanted })) };

      await beBusy(gateway);
      await point.reach(scene);
      gateway.signal("SIGKILL");
      await gateway.ended;
      await point.after?.(scene);
      const entry = await attempt;
      expect(entry?.terminalAtMs).toBeNull();
      await until(async () => !(await hasHold(key)), "the hold is given back", 45_000);

      const { charges } = await readLedger(stage.cluster().url());
      const mine = charges.filter(({ keyId }) => keyId === key.id);
      expect(mine).toHaveLength(1);
      point.charge(mine[0] as ChargeRow, await usageOf(marker));
      if (point.retried.length === 0) return;
      const again = await stage.ask({ gateway: survivor, ...wanted });
      console.log(
        `${point.name}, ${route}: ${mine[0]?.kind} ${mine[0]?.amount}; the retry heard ${again.status} ${again.code ?? ""}`,
      );
      expect(point.retried).toContain(again.status);
    });
  }

  test.concurrent("a process frozen beyond its lease ends no stream as if nothing had happened", async () => {
    const [gateway, key] = await Promise.all([stage.startGateway(), stage.makeKey({ credit: PLENTY })]);
    const common = { stage, gateways: [gateway], key, count: 10 };
    // The provider of these has finished when the process wakes up; that of the others is still at it.
    const short = await openStreams(common);
    const endless = await openStreams({ ...common, model: "endless" });
    // Long enough for what they have delivered so far to be written down.
    await sleep(1_000);
    gateway.signal("SIGSTOP");
    await sleep(FREEZE_MS);
    await until(async () => !(await hasHold(key)), "the others have swept its holds");
    gateway.signal("SIGCONT");

    const thawedAtMs = Date.now();
    const entries = [...(await short.ended), ...(await endless.ended)];
    const told = entries.filter(({ terminalAtMs }) => terminalAtMs !== null);
    const cutAfterMs = Math.max(...entries.map(({ endedAtMs }) => endedAtMs)) - thawedAtMs;
    console.log(
      `frozen for ${FREEZE_MS / 1_000} s: ${entries.length} streams, ${told.length} ended as whole, ` +
        `the last told of an error ${cutAfterMs} ms after it woke up`,
    );
    expect(told).toEqual([]);
    expect(new Set(entries.map(({ code }) => code))).toEqual(new Set(["service_unavailable"]));
    expect(cutAfterMs).toBeLessThan(30_000);
    await until(
      async () => (await stage.ask({ gateway, key, model: "fast" })).status === 200,
      "it serves again",
      30_000,
    );
  });

  test("after all of it the three witnesses agree", async () => {
    await expectSound(stage, "kill points");
  });
});

/** Every point for callers of every format; in the short run of one each, of which each course of the routes has another. */
function scenes(points: readonly Point[]): { point: Point; route: Route }[] {
  const formats = LONG ? [0, 1, 2] : [courseNumber()];
  return points.flatMap((point, index) => formats.map((format) => ({ point, route: routeFor(index + format) })));
}
