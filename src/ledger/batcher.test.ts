import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { modelTarget } from "../../tests/ledger/drive.ts";
import { createModel } from "../../tests/ledger/model.ts";
import { createId } from "../core/ids.ts";
import { type Batcher, createBatcher } from "./batcher.ts";
import { LedgerUnavailableError } from "./lane.ts";
import type { Ask, Claimed, Settlement, StoredAnswer, Undone } from "./ledger.ts";
import { NO_USAGE } from "../core/usage.ts";
import { NOTHING_BORNE } from "../../tests/support/nothing-borne.ts";
import { PLAIN_ASK } from "../../tests/support/plain-ask.ts";

const keyId = createId(1);
const usage = { ...NO_USAGE, inputTokens: 1, outputTokens: 1 };
const limits = { items: 4, bytes: 5_000, queued: 10, timeoutMs: 1_000, retryMs: 100, paceMs: 0 };

class Lost extends Error {}
class Poison extends Error {}

/** The model behind a line that the test can cut before or after the call, or hold. */
function faultyLedger() {
  const model = createModel({ startMs: Date.UTC(2026, 0, 5) });
  const target = modelTarget(model);
  const batches: number[] = [];
  const reads: number[] = [];
  const line = {
    cutBefore: false,
    cutAfter: false,
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
  model.createKey(keyId, "credit");
  model.fund({ keyId, reference: "p", kind: "purchase", amount: 1_000n, about: null, actor: "test" });
  return {
    model,
    batches,
    reads,
    line,
    ledger: {
      kept: async (claims: readonly Claimed[]) => {
        reads.push(claims.length);
        await line.readGate;
        return claims.map(() => line.kept);
      },
      admit: (processId: string, asks: readonly Ask[]) => through(asks, () => target.admit(processId, asks)),
      settle: (settlements: readonly Settlement[]) => through(settlements, () => target.settle(settlements)),
      void: (requests: readonly Undone[]) => through(requests, () => target.void(requests)),
      suspend: (keyIds: readonly string[]) => through(keyIds, () => target.suspend(keyIds)),
    },
  };
}

let faulty: ReturnType<typeof faultyLedger>;
let batcher: Batcher;
let nowMs = 0;
let lostReleases: unknown[];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  faulty = faultyLedger();
  nowMs = 0;
  lostReleases = [];
  batcher = createBatcher({
    ledger: faulty.ledger,
    processId: createId(2),
    failureOf: (error) => (error instanceof Lost ? "lost" : error instanceof Poison ? "data" : "bug"),
    clock: { elapsedMs: () => nowMs },
    limits,
    settleTimeoutMs: 3_000,
    voidTimeoutMs: 60_000,
    onLostRelease: (error) => lostReleases.push(error),
  });
});
afterEach(() => {
  vi.useRealTimers();
});

const ask = (fields: Partial<Ask> = {}): Ask => ({
  id: createId(3),
  keyId,
  ...PLAIN_ASK,
  ...fields,
});
const settlement = (id: string, bodyBytes = 0): Settlement => ({
  id,
  keyId,
  outcome: "completed",
  charge: 5n,
  usage,
  contentDelivered: true,
  record: null,
  answer: bodyBytes === 0 ? null : { status: 200, contentType: "text/plain", body: Buffer.alloc(bodyBytes) },
  bucket: 7,
  ...NOTHING_BORNE,
});
const turn = async (): Promise<void> => {
  for (let n = 0; n < 5; n += 1) await new Promise((resolve) => setImmediate(resolve));
};
const pass = async (ms: number): Promise<void> => {
  for (let passed = 0; passed < ms; passed += 50) {
    nowMs += 50;
    await vi.advanceTimersByTimeAsync(50);
    await turn();
  }
};
const held = (): bigint | undefined => faulty.model.state.accounts.get(keyId)?.held;

test("one flush is in flight at a time, and what queued meanwhile goes in the next, in batches that are bounded", async () => {
  const gate = Promise.withResolvers<void>();
  faulty.line.gate = gate.promise;

  const first = batcher.admit(ask());
  await turn();
  const others = Array.from({ length: 6 }, () => batcher.admit(ask()));
  await turn();
  expect(faulty.batches).toEqual([1]);
  gate.resolve();

  expect((await Promise.all([first, ...others])).map(({ kind }) => kind)).toEqual(Array(7).fill("admitted"));
  expect(faulty.batches).toEqual([1, 4, 2]);
});

test("bodies to be stored bound a batch by their bytes, and one too large goes alone", async () => {
  const asks = Array.from({ length: 4 }, () => ask());
  await Promise.all(asks.map((it) => batcher.admit(it)));
  faulty.batches.length = 0;

  await Promise.all(asks.map(({ id }, index) => batcher.settle(settlement(id, index === 0 ? 9_000 : 2_000))));

  expect(faulty.batches).toEqual([1, 2, 1]);
});

test("a large answer that is stored holds up nobody else's settlement", async () => {
  const [large, small] = [ask(), ask()];
  await Promise.all([batcher.admit(large), batcher.admit(small)]);
  const gate = Promise.withResolvers<void>();
  faulty.line.gate = gate.promise;
  const slow = batcher.settle(settlement(large.id, 100_000));
  await turn();
  faulty.line.gate = Promise.resolve();

  expect(await batcher.settle(settlement(small.id))).toMatchObject({ kind: "settled" });
  gate.resolve();
  expect(await slow).toMatchObject({ kind: "settled" });
});

const CLAIM = { keySha256: Buffer.alloc(32, 1), fingerprint: Buffer.alloc(32, 2) };
const answered = async (): Promise<void> => {
  const first = ask({ claim: CLAIM });
  await batcher.admit(first);
  await batcher.settle(settlement(first.id, 10));
};

test("answers to be replayed are read apart, few at a time, and nobody else's admission waits for them", async () => {
  await answered();
  const gate = Promise.withResolvers<void>();
  Object.assign(faulty.line, { readGate: gate.promise, kept: settlement("", 10).answer });

  const repeats = Array.from({ length: 9 }, () => batcher.admit(ask({ claim: CLAIM })));
  await turn();
  await turn();
  expect(await batcher.admit(ask())).toMatchObject({ kind: "admitted" });
  expect(batcher.waiting()).toBe(9);
  gate.resolve();

  expect((await Promise.all(repeats)).map(({ kind }) => kind)).toEqual(Array(9).fill("replay"));
  expect(await repeats[0]).toMatchObject({ answer: { status: 200, body: Buffer.alloc(10) } });
  expect(faulty.reads).toEqual([4, 4, 1]);
});

test("an answer that is there is waited for as long as one that was just finished", async () => {
  await answered();
  const gate = Promise.withResolvers<void>();
  Object.assign(faulty.line, { readGate: gate.promise, kept: settlement("", 10).answer });
  const repeat = batcher.admit(ask({ claim: CLAIM }));
  await pass(2_900);
  gate.resolve();

  expect(await repeat).toMatchObject({ kind: "replay" });
});

test("an answer that was undone before it could be read is told like one that is being worked on", async () => {
  await answered();

  expect(await batcher.admit(ask({ claim: CLAIM }))).toEqual({ kind: "in_progress" });
});

test("a value that the database refuses fails its own call and none of its neighbours", async () => {
  const results = await Promise.allSettled(["a", "b", "poison", "d"].map((model) => batcher.admit(ask({ model }))));

  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled"]);
  expect(faulty.batches).toEqual([4, 2, 2, 1, 1]);
  expect(held()).toBe(30n);
});

test("a batch whose fate is unknown goes again under the same ids and is applied once", async () => {
  faulty.line.cutAfter = true;
  const admitted = batcher.admit(ask());
  await turn();
  faulty.line.cutAfter = false;
  await pass(100);

  expect(await admitted).toEqual({ kind: "already", amount: 10n });
  expect(held()).toBe(10n);
});

test("past its bound the queue refuses at once", async () => {
  const gate = Promise.withResolvers<void>();
  faulty.line.gate = gate.promise;
  const calls = Array.from({ length: 10 }, () => batcher.admit(ask()));

  await expect(batcher.admit(ask())).rejects.toThrow(LedgerUnavailableError);
  gate.resolve();
  await Promise.all(calls);
});

test("an admission nobody waits for any more is released, whether or not it had been applied", async () => {
  faulty.line.cutAfter = true;
  const refused = expect(batcher.admit(ask())).rejects.toThrow(LedgerUnavailableError);
  await pass(50);
  expect(held()).toBe(10n);

  await pass(100);
  await refused;
  faulty.line.cutAfter = false;
  await pass(500);
  expect(held()).toBe(0n);
  expect(lostReleases).toEqual([]);
});

test("a call that was never sent is forgotten at its deadline, without a release", async () => {
  const gate = Promise.withResolvers<void>();
  faulty.line.gate = gate.promise;
  const sent = expect(batcher.admit(ask())).rejects.toThrow(LedgerUnavailableError);
  await turn();
  const unsent = expect(batcher.admit(ask())).rejects.toThrow(LedgerUnavailableError);
  await pass(1_000);
  await Promise.all([sent, unsent]);
  gate.resolve();
  await turn();

  expect(faulty.batches).toEqual([1, 1]);
  expect([...faulty.model.state.charges.values()]).toHaveLength(1);
  expect(held()).toBe(0n);
});

test("a dead ledger answers at once, and is asked again after a while", async () => {
  faulty.line.cutBefore = true;
  const first = expect(batcher.admit(ask())).rejects.toThrow(LedgerUnavailableError);
  await pass(200);
  const before = faulty.batches.length;

  await expect(batcher.admit(ask())).rejects.toThrow("does not answer");
  expect(faulty.batches.length).toBe(before);

  await pass(1_000);
  await first;
  faulty.line.cutBefore = false;
  await pass(1_100);
  expect(await batcher.admit(ask())).toEqual({ kind: "admitted", amount: 10n });
});

test("the caller who tries a dead ledger hears of it as soon as the try has failed", async () => {
  faulty.line.cutBefore = true;
  const first = expect(batcher.admit(ask())).rejects.toThrow("does not answer");
  await pass(150);
  await first;
  await pass(1_000);

  const trying = expect(batcher.admit(ask())).rejects.toThrow("does not answer");
  await turn();
  await trying;
});

test("a void outlives an outage that refuses everything else", async () => {
  const it = ask();
  await batcher.admit(it);
  faulty.line.cutBefore = true;
  const voided = batcher.void({ id: it.id, keyId, bucket: 7 });
  await pass(5_000);
  faulty.line.cutBefore = false;
  await pass(200);

  expect(await voided).toEqual({ kind: "voided", refunded: 0n });
  expect(held()).toBe(0n);
});

test("a finished answer waits for a ledger that refuses new requests, and is told when it comes back", async () => {
  const it = ask();
  await batcher.admit(it);
  faulty.line.cutBefore = true;
  const refused = expect(batcher.admit(ask())).rejects.toThrow(LedgerUnavailableError);
  await pass(1_000);
  await refused;
  const settled = batcher.settle(settlement(it.id));
  await pass(1_000);
  faulty.line.cutBefore = false;
  await pass(200);

  expect(await settled).toEqual({ kind: "settled", charged: 5n });
});

test("a burst waits for as long as the ledger works it off, and not for one that stops", async () => {
  const gates = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
  const open = async (place: number): Promise<void> => {
    faulty.line.gate = gates[place + 1]?.promise ?? Promise.resolve();
    gates[place]?.resolve();
    await turn();
  };
  faulty.line.gate = gates[0]?.promise ?? Promise.resolve();
  const burst = Array.from({ length: 10 }, () => batcher.admit(ask()));
  const stuck = burst.slice(8).map((call) => expect(call).rejects.toThrow("in time"));
  await turn();
  for (const place of [0, 1]) {
    await pass(900);
    await open(place);
  }

  // The third batch began 1,800 ms after its calls were made, of which nobody waits longer than 1,000 ms for a sign of life.
  expect(await Promise.all(burst.slice(0, 8))).toHaveLength(8);
  await pass(1_000);
  await Promise.all(stuck);
  gates[2]?.resolve();
});

test("a ledger that hangs is noticed by those who wait behind the one call that it has", async () => {
  const gate = Promise.withResolvers<void>();
  faulty.line.gate = gate.promise;
  const sent = expect(batcher.admit(ask())).rejects.toThrow("in time");
  await turn();
  const queued = expect(batcher.admit(ask())).rejects.toThrow("in time");
  await pass(1_000);
  await Promise.all([sent, queued]);

  await expect(batcher.admit(ask())).rejects.toThrow("does not answer");
  gate.resolve();
});

test("a ledger that hangs is refused at once as soon as somebody has waited in vain", async () => {
  const gate = Promise.withResolvers<void>();
  faulty.line.gate = gate.promise;
  const hanging = [batcher.admit(ask()), batcher.admit(ask())].map((call) => expect(call).rejects.toThrow("in time"));
  await pass(1_000);
  await Promise.all(hanging);

  await expect(batcher.admit(ask())).rejects.toThrow("does not answer");
  gate.resolve();
  await pass(200);
  expect(await batcher.admit(ask())).toMatchObject({ kind: "admitted" });
});
