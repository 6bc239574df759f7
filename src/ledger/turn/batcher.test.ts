import { expect, test } from "vitest";
import { ask, batcherStage, CLAIM, keyId, settlement, turn } from "../../../tests/support/batcher-stage.ts";
import { LedgerUnavailableError } from "./lane.ts";

const stage = batcherStage();

test("one flush is in flight at a time, and what queued meanwhile goes in the next, in batches that are bounded", async () => {
  const gate = Promise.withResolvers<void>();
  stage.faulty.line.gate = gate.promise;

  const first = stage.batcher.admit(ask());
  await turn();
  const others = Array.from({ length: 6 }, () => stage.batcher.admit(ask()));
  await turn();
  expect(stage.faulty.batches).toEqual([1]);
  gate.resolve();

  expect((await Promise.all([first, ...others])).map(({ kind }) => kind)).toEqual(Array(7).fill("admitted"));
  expect(stage.faulty.batches).toEqual([1, 4, 2]);
});

test("bodies to be stored bound a batch by their bytes, and one too large goes alone", async () => {
  const asks = Array.from({ length: 4 }, () => ask());
  await Promise.all(asks.map((it) => stage.batcher.admit(it)));
  stage.faulty.batches.length = 0;

  await Promise.all(asks.map(({ id }, index) => stage.batcher.settle(settlement(id, index === 0 ? 9_000 : 2_000))));

  expect(stage.faulty.batches).toEqual([1, 2, 1]);
});

test("a large answer that is stored holds up nobody else's settlement", async () => {
  const [large, small] = [ask(), ask()];
  await Promise.all([stage.batcher.admit(large), stage.batcher.admit(small)]);
  const gate = Promise.withResolvers<void>();
  stage.faulty.line.gate = gate.promise;
  const slow = stage.batcher.settle(settlement(large.id, 100_000));
  await turn();
  stage.faulty.line.gate = Promise.resolve();

  expect(await stage.batcher.settle(settlement(small.id))).toMatchObject({ kind: "settled" });
  gate.resolve();
  expect(await slow).toMatchObject({ kind: "settled" });
});

const answered = async (): Promise<void> => {
  const first = ask({ claim: CLAIM });
  await stage.batcher.admit(first);
  await stage.batcher.settle(settlement(first.id, 10));
};

test("answers to be replayed are read apart, few at a time, and nobody else's admission waits for them", async () => {
  await answered();
  const gate = Promise.withResolvers<void>();
  Object.assign(stage.faulty.line, { readGate: gate.promise, kept: settlement("", 10).answer });

  const repeats = Array.from({ length: 9 }, () => stage.batcher.admit(ask({ claim: CLAIM })));
  await turn();
  await turn();
  expect(await stage.batcher.admit(ask())).toMatchObject({ kind: "admitted" });
  expect(stage.batcher.waiting()).toBe(9);
  gate.resolve();

  expect((await Promise.all(repeats)).map(({ kind }) => kind)).toEqual(Array(9).fill("replay"));
  expect(await repeats[0]).toMatchObject({ answer: { status: 200, body: Buffer.alloc(10) } });
  expect(stage.faulty.reads).toEqual([4, 4, 1]);
});

test("an answer that is there is waited for as long as one that was just finished", async () => {
  await answered();
  const gate = Promise.withResolvers<void>();
  Object.assign(stage.faulty.line, { readGate: gate.promise, kept: settlement("", 10).answer });
  const repeat = stage.batcher.admit(ask({ claim: CLAIM }));
  await stage.pass(2_900);
  gate.resolve();

  expect(await repeat).toMatchObject({ kind: "replay" });
});

test("an answer that was undone before it could be read is told like one that is being worked on", async () => {
  await answered();

  expect(await stage.batcher.admit(ask({ claim: CLAIM }))).toEqual({ kind: "in_progress", retryAfterMs: 0 });
});

test("a value that the database refuses fails its own call and none of its neighbours", async () => {
  const results = await Promise.allSettled(
    ["a", "b", "poison", "d"].map((model) => stage.batcher.admit(ask({ model }))),
  );

  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled"]);
  expect(stage.faulty.batches).toEqual([4, 2, 2, 1, 1]);
  expect(stage.held()).toBe(30n);
});

test("a batch whose fate is unknown goes again under the same ids and is applied once", async () => {
  stage.faulty.line.cutAfter = true;
  const admitted = stage.batcher.admit(ask());
  await turn();
  stage.faulty.line.cutAfter = false;
  await stage.pass(100);

  expect(await admitted).toEqual({ kind: "already", granted: { credits: 10n, tokens: null } });
  expect(stage.held()).toBe(10n);
});

test("past its bound the queue refuses at once", async () => {
  const gate = Promise.withResolvers<void>();
  stage.faulty.line.gate = gate.promise;
  const calls = Array.from({ length: 10 }, () => stage.batcher.admit(ask()));

  await expect(stage.batcher.admit(ask())).rejects.toThrow(LedgerUnavailableError);
  gate.resolve();
  await Promise.all(calls);
});

test("an admission nobody waits for any more is released, whether or not it had been applied", async () => {
  stage.faulty.line.cutAfter = true;
  const refused = expect(stage.batcher.admit(ask())).rejects.toThrow(LedgerUnavailableError);
  await stage.pass(50);
  expect(stage.held()).toBe(10n);

  await stage.pass(100);
  await refused;
  stage.faulty.line.cutAfter = false;
  await stage.pass(500);
  expect(stage.held()).toBe(0n);
  expect(stage.lostReleases).toEqual([]);
});

test("a call that was never sent is forgotten at its deadline, without a release", async () => {
  const gate = Promise.withResolvers<void>();
  stage.faulty.line.gate = gate.promise;
  const sent = expect(stage.batcher.admit(ask())).rejects.toThrow(LedgerUnavailableError);
  await turn();
  const unsent = expect(stage.batcher.admit(ask())).rejects.toThrow(LedgerUnavailableError);
  await stage.pass(1_000);
  await Promise.all([sent, unsent]);
  gate.resolve();
  await turn();

  expect(stage.faulty.batches).toEqual([1, 1]);
  expect([...stage.faulty.model.state.charges.values()]).toHaveLength(1);
  expect(stage.held()).toBe(0n);
});

test("a dead ledger answers at once, and is asked again after a while", async () => {
  stage.faulty.line.cutBefore = true;
  const first = expect(stage.batcher.admit(ask())).rejects.toThrow(LedgerUnavailableError);
  await stage.pass(200);
  const before = stage.faulty.batches.length;

  await expect(stage.batcher.admit(ask())).rejects.toThrow("does not answer");
  expect(stage.faulty.batches.length).toBe(before);

  await stage.pass(1_000);
  await first;
  stage.faulty.line.cutBefore = false;
  await stage.pass(1_100);
  expect(await stage.batcher.admit(ask())).toEqual({ kind: "admitted", granted: { credits: 10n, tokens: null } });
});

test("the caller who tries a dead ledger hears of it as soon as the try has failed", async () => {
  stage.faulty.line.cutBefore = true;
  const first = expect(stage.batcher.admit(ask())).rejects.toThrow("does not answer");
  await stage.pass(150);
  await first;
  await stage.pass(1_000);

  const trying = expect(stage.batcher.admit(ask())).rejects.toThrow("does not answer");
  await turn();
  await trying;
});

test("a void outlives an outage that refuses everything else", async () => {
  const it = ask();
  await stage.batcher.admit(it);
  stage.faulty.line.cutBefore = true;
  const voided = stage.batcher.void({ id: it.id, keyId, bucket: 7 });
  await stage.pass(5_000);
  stage.faulty.line.cutBefore = false;
  await stage.pass(200);

  expect(await voided).toEqual({ kind: "voided", refunded: { credits: 0n, tokens: 0n } });
  expect(stage.held()).toBe(0n);
});

test("a finished answer waits for a ledger that refuses new requests, and is told when it comes back", async () => {
  const it = ask();
  await stage.batcher.admit(it);
  stage.faulty.line.cutBefore = true;
  const refused = expect(stage.batcher.admit(ask())).rejects.toThrow(LedgerUnavailableError);
  await stage.pass(1_000);
  await refused;
  const settled = stage.batcher.settle(settlement(it.id));
  await stage.pass(1_000);
  stage.faulty.line.cutBefore = false;
  await stage.pass(200);

  expect(await settled).toEqual({ kind: "settled", charged: { credits: 5n, tokens: null } });
});

test("a burst waits for as long as the ledger works it off, and not for one that stops", async () => {
  const gates = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
  const open = async (place: number): Promise<void> => {
    stage.faulty.line.gate = gates[place + 1]?.promise ?? Promise.resolve();
    gates[place]?.resolve();
    await turn();
  };
  stage.faulty.line.gate = gates[0]?.promise ?? Promise.resolve();
  const burst = Array.from({ length: 10 }, () => stage.batcher.admit(ask()));
  const stuck = burst.slice(8).map((call) => expect(call).rejects.toThrow("in time"));
  await turn();
  for (const place of [0, 1]) {
    await stage.pass(900);
    await open(place);
  }

  // The third batch began 1,800 ms after its calls were made, of which nobody waits longer than 1,000 ms for a sign of life.
  expect(await Promise.all(burst.slice(0, 8))).toHaveLength(8);
  await stage.pass(1_000);
  await Promise.all(stuck);
  gates[2]?.resolve();
});

test("a ledger that hangs is noticed by those who wait behind the one call that it has", async () => {
  const gate = Promise.withResolvers<void>();
  stage.faulty.line.gate = gate.promise;
  const sent = expect(stage.batcher.admit(ask())).rejects.toThrow("in time");
  await turn();
  const queued = expect(stage.batcher.admit(ask())).rejects.toThrow("in time");
  await stage.pass(1_000);
  await Promise.all([sent, queued]);

  await expect(stage.batcher.admit(ask())).rejects.toThrow("does not answer");
  gate.resolve();
});

test("a ledger that hangs is refused at once as soon as somebody has waited in vain", async () => {
  const gate = Promise.withResolvers<void>();
  stage.faulty.line.gate = gate.promise;
  const hanging = [stage.batcher.admit(ask()), stage.batcher.admit(ask())].map((call) =>
    expect(call).rejects.toThrow("in time"),
  );
  await stage.pass(1_000);
  await Promise.all(hanging);

  await expect(stage.batcher.admit(ask())).rejects.toThrow("does not answer");
  gate.resolve();
  await stage.pass(200);
  expect(await stage.batcher.admit(ask())).toMatchObject({ kind: "admitted" });
});
