import { expect, test } from "vitest";
import { ask, batcherStage, CLAIM, RECORD, settlement, turn } from "../../../tests/support/batcher-stage.ts";
import type { AskFields } from "../../../tests/support/lone-key.ts";
import { LedgerUnavailableError } from "./lane.ts";
import type { AdmitVerdict, Ask, Settled } from "../ledger.ts";

const stage = batcherStage();

/** Calls of the same moment go in one flush. */
async function together(calls: () => Promise<Settled | AdmitVerdict>[]) {
  stage.faulty.turns.length = 0;
  return Promise.allSettled(calls());
}
const opened = async (count: number, fields: AskFields = {}): Promise<Ask[]> => {
  const asks = Array.from({ length: count }, () => ask(fields));
  await Promise.all(asks.map((it) => stage.batcher.admit(it)));
  return asks;
};

test("what ends and what begins goes in one turn, and what ends gives its money to what begins", async () => {
  const [rich] = await opened(1, { least: 1n, most: 985n });

  const [settled, admitted] = await together(() => [
    stage.batcher.settle(settlement(rich?.id ?? "")),
    stage.batcher.admit(ask({ least: 900n, most: 900n })),
  ]);

  expect(stage.faulty.turns).toEqual([[1, 1]]);
  expect(settled).toMatchObject({ value: { kind: "settled", charged: { credits: 5n, tokens: null } } });
  expect(admitted).toMatchObject({ value: { kind: "admitted", granted: { credits: 900n, tokens: null } } });
});

test.for([0, 10])(
  "the end of a stream, stored with %d bytes, waits for no pace, and the end of a plain response does",
  async (bodyBytes) => {
    const [first, streamed, plain] = await opened(3);
    const batcher = stage.open({ paceMs: 50 });
    const end = (one: Ask | undefined, contentDelivered: boolean): Promise<Settled> =>
      batcher.settle({ ...settlement(one?.id ?? "", bodyBytes), contentDelivered });
    await end(first, false);

    const ends = [end(plain, false)];
    await turn();
    expect(stage.faulty.model.state.charges.size).toBe(1);

    ends.push(end(streamed, true));
    await turn();
    expect(stage.faulty.model.state.charges.size).toBe(3);
    await Promise.all(ends);
  },
);

test("a value that the database refuses in what begins fails nothing that ends with it", async () => {
  const [one, two] = await opened(2);

  const results = await together(() => [
    stage.batcher.settle(settlement(one?.id ?? "")),
    stage.batcher.admit(ask({ model: "poison" })),
    stage.batcher.settle(settlement(two?.id ?? "")),
    stage.batcher.admit(ask()),
  ]);

  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "fulfilled"]);
  expect(stage.faulty.turns).toEqual([
    [2, 2],
    [2, 0],
    [0, 2],
    [0, 1],
    [0, 1],
  ]);
  expect(stage.faulty.model.state.charges.size).toBe(2);
});

test("a value that the database refuses in what ends fails nothing that begins with it", async () => {
  const [one, two] = await opened(2);
  const poisoned = { ...settlement(one?.id ?? ""), record: { ...RECORD, provider: "poison" } };

  const results = await together(() => [
    stage.batcher.settle(poisoned),
    stage.batcher.settle(settlement(two?.id ?? "")),
    stage.batcher.admit(ask()),
  ]);

  expect(results.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
  expect(stage.faulty.model.state.charges.size).toBe(1);
});

test("while this process may begin nothing, it still ends what it has begun", async () => {
  const [one] = await opened(1);
  stage.faulty.line.refusesAsks = true;
  const results = await together(() => [stage.batcher.settle(settlement(one?.id ?? "")), stage.batcher.admit(ask())]);

  expect(results[0]).toMatchObject({ value: { kind: "settled" } });
  expect(results[1]).toMatchObject({ reason: { message: "the ledger refuses this process" } });
});

test("a turn whose fate is unknown goes again under the same ids, and both of its halves are applied once", async () => {
  const [one] = await opened(1);
  stage.faulty.line.cutAfter = true;
  const both = together(() => [stage.batcher.settle(settlement(one?.id ?? "")), stage.batcher.admit(ask())]);
  await turn();
  stage.faulty.line.cutAfter = false;
  await stage.pass(300);

  expect((await both).map((result) => (result.status === "fulfilled" ? result.value.kind : "rejected"))).toEqual([
    "already",
    "already",
  ]);
  expect(stage.held()).toBe(10n);
});

test("a dead ledger refuses what was to begin with a turn and keeps what ends with it", async () => {
  const [one] = await opened(1);
  stage.faulty.line.cutBefore = true;
  const refused = expect(stage.batcher.admit(ask())).rejects.toThrow("does not answer");
  const settled = stage.batcher.settle(settlement(one?.id ?? ""));
  await stage.pass(150);
  await refused;

  // Whoever tries it hears of it at once, though a settlement is tried all the time.
  await stage.pass(1_000);
  const trying = expect(stage.batcher.admit(ask())).rejects.toThrow("does not answer");
  await stage.pass(150);
  await trying;
  stage.faulty.line.cutBefore = false;
  await stage.pass(200);
  expect(await settled).toEqual({ kind: "settled", charged: { credits: 5n, tokens: null } });
});

test("a settlement that may wait for long keeps no request waiting beyond its own time", async () => {
  const [one] = await opened(1);
  await stage.pass(1_050);
  const gate = Promise.withResolvers<void>();
  stage.faulty.line.gate = gate.promise;
  const settled = stage.batcher.settle(settlement(one?.id ?? ""));
  await turn();
  const told: unknown[] = [];
  stage.batcher.admit(ask()).catch((error: unknown) => told.push(error));
  await stage.pass(1_000);
  expect(told).toEqual([new LedgerUnavailableError("the ledger did not answer in time")]);

  await stage.pass(1_500);
  gate.resolve();
  expect(await settled).toMatchObject({ kind: "settled" });
});

test("as more calls wait, the buckets are divided among more lanes, and those of one do not wait for another", async () => {
  const batcher = stage.open({ callsPerLane: 1 });
  const gate = Promise.withResolvers<void>();
  stage.faulty.line.gate = gate.promise;
  const slow = [7, 7, 7, 7].map((bucket) => batcher.admit(ask({ bucket })));
  await turn();
  stage.faulty.line.gate = Promise.resolve();

  const kinds: string[] = [];
  const other = batcher.admit(ask({ bucket: 6 })).then(({ kind }) => kinds.push(kind));
  const same = batcher.admit(ask({ bucket: 8 }));
  await turn();
  expect(kinds).toEqual(["admitted"]);
  expect(batcher.waiting()).toBe(5);
  gate.resolve();
  await Promise.all([...slow, same, other]);
});

test("few calls go in one turn, whatever their buckets", async () => {
  await together(() => [1, 2, 3, 4].map((bucket) => stage.batcher.admit(ask({ bucket }))));

  expect(stage.faulty.turns).toEqual([[0, 4]]);
});

test("a settlement that stores an answer goes in a turn of its own", async () => {
  const [one] = await opened(1, { claim: CLAIM });

  await together(() => [stage.batcher.settle(settlement(one?.id ?? "", 10)), stage.batcher.admit(ask())]);

  expect(stage.faulty.turns).toEqual([[0, 1]]);
  expect(stage.faulty.model.state.charges.size).toBe(1);
});
