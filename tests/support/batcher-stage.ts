import { afterEach, beforeEach, vi } from "vitest";
import { createId } from "../../src/core/ids.ts";
import { NO_USAGE } from "../../src/core/money/usage.ts";
import { type Batcher, createBatcher } from "../../src/ledger/turn/batcher.ts";
import type { Failure } from "../../src/ledger/turn/lane.ts";
import type { Ask, Claimed, LedgerTurn, Settlement, StoredAnswer, Undone } from "../../src/ledger/ledger.ts";
import { modelTarget } from "../ledger/drive.ts";
import { createModel } from "../ledger/model.ts";
import { askOf, type AskFields, creditsOf } from "./lone-key.ts";
import { NOTHING_BORNE } from "./nothing-borne.ts";

export const keyId = createId(1);
const OWN_COUNTER = 1;
const usage = { ...NO_USAGE, inputTokens: 1, outputTokens: 1 };
const limits = { items: 4, bytes: 5_000, queued: 10, timeoutMs: 1_000, retryMs: 100, paceMs: 0 };

class Lost extends Error {}
class Poison extends Error {}
class Refused extends Error {}

/** The model behind a line that the test can cut before or after the call, or hold. */
function faultyLedger() {
  const model = createModel({ startMs: Date.UTC(2026, 0, 5) });
  const target = modelTarget(model);
  const batches: number[] = [];
  /** What each turn ended and began. */
  const turns: [ended: number, begun: number][] = [];
  const reads: number[] = [];
  const line = {
    cutBefore: false,
    cutAfter: false,
    refusesAsks: false,
    gate: Promise.resolve(),
    readGate: Promise.resolve(),
    kept: null as StoredAnswer | null,
  };
  const through = async <Item, Answer>(items: readonly Item[], call: () => Promise<Answer>): Promise<Answer> => {
    batches.push(items.length);
    await line.gate;
    if (line.cutBefore) throw new Lost("refused");
    if (
      JSON.stringify(items, (_, value: unknown) => (typeof value === "bigint" ? `${value}` : value)).includes("poison")
    )
      throw new Poison();
    const answer = await call();
    if (line.cutAfter) throw new Lost("no answer");
    return answer;
  };
  model.createKey(keyId, "credit", { own: OWN_COUNTER });
  model.fund({ counter: OWN_COUNTER, reference: "p", kind: "purchase", amount: 1_000n, actor: "test" });
  return {
    model,
    batches,
    turns,
    reads,
    line,
    ledger: {
      kept: async (claims: readonly Claimed[]) => {
        reads.push(claims.length);
        await line.readGate;
        return claims.map(() => line.kept);
      },
      turn: (processId: string, turn: LedgerTurn) => {
        const { settlements, asks } = turn;
        turns.push([settlements.length, asks.length]);
        return through([...settlements, ...asks], async () => {
          if (line.refusesAsks && asks.length > 0) throw new Refused();
          return target.turn(processId, turn);
        });
      },
      settle: (settlements: readonly Settlement[]) =>
        through(settlements, async () => (await target.turn("", { settlements, asks: [] })).settled),
      void: (requests: readonly Undone[]) => through(requests, () => target.void(requests)),
      refused: async () => undefined,
      suspend: (keyIds: readonly string[]) => through(keyIds, () => target.suspend(keyIds)),
    },
  };
}

/** A batcher over it, on a clock that stands still unless it is moved. Made anew for each test. */
export function batcherStage() {
  const stage = {
    faulty: faultyLedger(),
    batcher: {} as Batcher,
    lostReleases: [] as unknown[],
    open: ({ paceMs = 0, ...options }: { callsPerLane?: number; paceMs?: number } = {}): Batcher =>
      createBatcher({
        ledger: stage.faulty.ledger,
        processId: createId(2),
        failureOf,
        clock: { elapsedMs: () => nowMs },
        limits: { ...limits, paceMs },
        settleTimeoutMs: 3_000,
        voidTimeoutMs: 60_000,
        onLostRelease: (error) => stage.lostReleases.push(error),
        ...options,
      }),
    held: (): bigint | undefined => stage.faulty.model.state.counters.get(String(OWN_COUNTER))?.held,
    pass: async (ms: number): Promise<void> => {
      for (let passed = 0; passed < ms; passed += 50) {
        nowMs += 50;
        await vi.advanceTimersByTimeAsync(50);
        await turn();
      }
    },
  };
  let nowMs = 0;
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    stage.faulty = faultyLedger();
    nowMs = 0;
    stage.lostReleases = [];
    stage.batcher = stage.open();
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  return stage;
}

const failureOf = (error: unknown): Failure =>
  error instanceof Lost ? "lost" : error instanceof Poison ? "data" : error instanceof Refused ? "refused" : "bug";

const PAYER = { keyId, bucket: 7, unit: "credit", chain: { id: 1, counters: [] } } as const;
export const ask = (fields: AskFields = {}): Ask => askOf(PAYER, { id: createId(3), model: "m", ...fields });
export const RECORD = { provider: "p", status: 200, firstByteMs: null, tookMs: 1, estimated: false };
export const settlement = (id: string, bodyBytes = 0): Settlement => ({
  id,
  keyId,
  bucket: PAYER.bucket,
  chain: PAYER.chain,
  outcome: "completed",
  price: creditsOf(5n),
  usage,
  digest: null,
  contentDelivered: true,
  record: null,
  answer: bodyBytes === 0 ? null : { status: 200, contentType: "text/plain", body: Buffer.alloc(bodyBytes) },
  ...NOTHING_BORNE,
});
/** Lets everything happen that needs no time. */
export const turn = async (): Promise<void> => {
  for (let n = 0; n < 5; n += 1) await new Promise((resolve) => setImmediate(resolve));
};
export const CLAIM = { keySha256: Buffer.alloc(32, 1), fingerprint: Buffer.alloc(32, 2) };
