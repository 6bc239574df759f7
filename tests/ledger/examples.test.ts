import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Database } from "../../src/db/database.ts";
import type { Ask } from "../../src/ledger/ledger.ts";
import { namesOf, PROCESSES } from "./commands.ts";
import { databaseTarget } from "./database-target.ts";
import { modelTarget, rest, type Target } from "./drive.ts";
import { MODEL_AND_SERVER } from "./engines.ts";
import { createModel } from "./model.ts";
import type { AskFields, EndFields } from "../support/lone-key.ts";
import { type LoneLedger, loneLedger } from "./lone-ledger.ts";

const START_MS = Date.UTC(2026, 0, 5, 12);
const DAY_MS = 86_400_000;
const bytes = (n: number): Buffer => Buffer.alloc(32, n);

let run = 0;

describe.each(MODEL_AND_SERVER)("$name", ({ open, reason }) => {
  let database: Database | null;
  let close: () => Promise<void> = async () => undefined;
  let driven: Target;
  let target: LoneLedger;
  let names = namesOf(0);
  let credit = "";
  let tokens = "";
  let asked = 0;

  beforeAll(async () => {
    if (reason === null) ({ database, close } = await open());
  });
  afterAll(() => close());
  beforeEach(async (context) => {
    context.skip(reason !== null, reason ?? "");
    run += 1;
    names = namesOf(run);
    const startMs = START_MS + run * 100 * DAY_MS;
    driven = database ? await databaseTarget(database, startMs) : modelTarget(createModel({ startMs }));
    target = loneLedger(driven);
    [credit, tokens] = [names.keyId(0), names.keyId(1)];
    await target.createKey(credit, "credit");
    await target.createKey(tokens, "tokens");
    await target.heartbeat(names.processId(0));
    await purchase(100n);
    await target.setLimit({ keyId: tokens, reference: "b", amount: 100n, period: "day" });
    return async () => {
      await rest(driven, names);
    };
  });

  const purchase = (amount: bigint) => target.purchase(credit, amount);
  const ask = ({ keyId = credit, ...fields }: AskFields = {}): Ask => {
    asked += 1;
    return target.ask(keyId, { id: names.requestId(asked), least: 10n, most: 40n, ...fields });
  };
  const admit = (...asks: Ask[]) => target.admit(names.processId(0), asks);
  const settle = async (of: Ask, fields: EndFields = {}) => (await target.settle([{ of, ...fields }]))[0];

  test("a request gets its most while there is as much, then what is left, then nothing [I8] [MON-5] [MON-17]", async () => {
    expect(await admit(ask({ most: 90n }), ask({ most: 90n }), ask({ least: 1n }))).toEqual([
      { kind: "admitted", amount: 90n },
      { kind: "admitted", amount: 10n },
      { kind: "reserved", posted: 100n, available: 0n, renewsAtMs: null },
    ]);
  });

  test("a small request is served behind a big one that was refused [I8] [MON-16]", async () => {
    expect(
      await admit(ask({ least: 101n, most: 101n }), ask({ least: 90n, most: 120n }), ask({ least: 5n, most: 5n })),
    ).toMatchObject([{ kind: "insufficient", posted: 100n }, { kind: "admitted", amount: 100n }, { kind: "reserved" }]);
    expect(await admit(ask({ least: 200n, most: 200n }))).toEqual([
      { kind: "insufficient", posted: 100n, available: 0n, renewsAtMs: null },
    ]);
  });

  test("without a limit of its own a request leaves half, but takes what it needs [MON-13]", async () => {
    expect(await admit(ask({ most: 500n, unlimited: true }), ask({ least: 40n, most: 500n, unlimited: true }))).toEqual(
      [
        { kind: "admitted", amount: 50n },
        { kind: "admitted", amount: 40n },
      ],
    );
  });

  test("a call repeated with the same id gets the original grant, open or ended", async () => {
    const first = ask();
    await admit(first);

    expect(await admit(first, first)).toEqual([
      { kind: "already", amount: 40n },
      { kind: "already", amount: 40n },
    ]);
    await settle(first);
    expect(await admit({ ...first, keyVersion: 99 })).toEqual([{ kind: "already", amount: 40n }]);
  });

  test("a changed key is stale in the very next call, and so is a key that does not exist", async () => {
    await target.changeKey(credit);

    expect(await admit(ask(), ask({ keyVersion: 2 }), ask({ keyId: names.keyId(9) }))).toMatchObject([
      { kind: "stale_key" },
      { kind: "admitted" },
      { kind: "stale_key" },
    ]);
  });

  test("waiting the time a rate limit names is enough, and not a millisecond less [I10] [HDR-6] [LIM-1]", async () => {
    const rateOnly = () => ask({ rpmLimit: 2, least: 0n, most: 0n });
    await target.advance(3_000);
    expect(await admit(rateOnly(), rateOnly())).toMatchObject([
      { kind: "admitted", rate: { limit: 2, remaining: 0, resetMs: 60_000 } },
      { kind: "admitted", rate: { limit: 2, remaining: 0, resetMs: 60_000 } },
    ]);
    const [refused] = await admit(rateOnly());
    expect(refused).toMatchObject({ kind: "rate_limited", retryAfterMs: 60_000 });

    await target.advance(59_999);
    expect(await admit(rateOnly())).toMatchObject([{ kind: "rate_limited", retryAfterMs: 1 }]);
    await target.advance(1);
    expect(await admit(rateOnly())).toMatchObject([{ kind: "admitted", rate: { limit: 2, remaining: 1 } }]);
  });

  test("requests of one second leave the minute with the last of them, and those of others by themselves [I10] [HDR-6]", async () => {
    const rateOnly = () => ask({ rpmLimit: 3, least: 0n, most: 0n });
    await admit(rateOnly());
    await target.advance(400);
    await admit(rateOnly());
    await target.advance(20_000);
    expect(await admit(rateOnly())).toMatchObject([{ kind: "admitted", rate: { remaining: 0, resetMs: 60_000 } }]);
    await target.advance(1_600);

    expect(await admit(rateOnly())).toMatchObject([{ kind: "rate_limited", retryAfterMs: 38_400 }]);
    await target.advance(38_399);
    expect(await admit(rateOnly())).toMatchObject([{ kind: "rate_limited", retryAfterMs: 1 }]);
    await target.advance(1);
    expect(await admit(rateOnly(), rateOnly(), rateOnly())).toMatchObject([
      { kind: "admitted" },
      { kind: "admitted" },
      { kind: "rate_limited" },
    ]);
  });

  test("a refusal with status 429 does not count against the rate; one with 402 does [LIM-4]", async () => {
    const limited = (least: bigint) => ask({ rpmLimit: 2, least, most: least });
    await admit(limited(100n), limited(50n), limited(50n));

    expect(await admit(limited(500n), limited(500n))).toMatchObject([
      { kind: "insufficient" },
      { kind: "rate_limited" },
    ]);
  });

  test("a token key with nothing left is told when its period ends, and starts anew then [MON-15] [USG-23] [USG-27]", async () => {
    const spent = ask({ keyId: tokens, most: 100n });
    await admit(spent);
    await settle(spent, { price: 100n });
    const renewsAtMs = (Math.floor(target.nowMs() / DAY_MS) + 1) * DAY_MS;

    expect(await admit(ask({ keyId: tokens }))).toEqual([
      { kind: "limit_reached", posted: 0n, available: 0n, renewsAtMs },
    ]);
    expect(await target.usage(tokens)).toMatchObject({ posted: 0n, used: 100n, renewsAtMs });
    await target.advance(DAY_MS);
    expect(await target.usage(tokens)).toMatchObject({
      posted: 100n,
      used: 0n,
      renewsAtMs: renewsAtMs + DAY_MS,
    });
    expect(await admit(ask({ keyId: tokens }))).toMatchObject([{ kind: "admitted" }]);
  });

  test("a hold of an older period gives nothing back to the new one and takes nothing from it", async () => {
    const old = ask({ keyId: tokens, most: 60n, lifetimeMs: 3 * DAY_MS });
    await admit(old);
    await target.advance(DAY_MS);
    const fresh = ask({ keyId: tokens, most: 100n });
    expect(await admit(fresh)).toEqual([{ kind: "admitted", amount: 100n }]);

    expect(await settle(old, { price: 75n })).toEqual({ kind: "settled", charged: 60n });
    expect(await target.usage(tokens)).toMatchObject({ posted: 100n, held: 100n, used: 0n });
  });

  test("a budget cut leaves what is held, and no more once that ends", async () => {
    const open = ask({ keyId: tokens, most: 80n });
    await admit(open);
    await target.setLimit({ keyId: tokens, reference: "cut", amount: 50n, period: "day" });
    expect(await target.usage(tokens)).toMatchObject({ posted: 80n, held: 80n });

    await settle(open, { price: 10n });
    expect(await target.usage(tokens)).toMatchObject({ posted: 40n, held: 0n, used: 10n });
  });

  test("a charge draws on unreserved balance, never below zero, and the house bears the rest [I1, I5] [MON-25] [MON-26]", async () => {
    const [one, two] = [ask({ most: 40n }), ask({ most: 40n })];
    await admit(one, two);

    expect(await settle(one, { price: 55n })).toEqual({ kind: "settled", charged: 55n });
    expect(await settle(two, { price: 70n })).toEqual({ kind: "settled", charged: 45n });
    expect(await target.usage(credit)).toMatchObject({ posted: 0n, held: 0n, used: 100n, lastCost: 45n, requests: 2n });
  });

  test("a request ends once: repeated it is already ended, swept or voided it is fenced [I4] [MON-37]", async () => {
    const [one, two, three] = [ask({ most: 10n }), ask({ most: 10n }), ask({ most: 10n })];
    await admit(one, two, three);
    await settle(one);
    expect(await settle(one, { price: 9n })).toEqual({ kind: "already", charged: 7n });

    await target.void([{ id: two.id, keyId: credit }]);
    await target.checkpoint(three, { seq: 1, cost: 4n });
    await rest(driven, names);
    expect(await settle(two)).toEqual({ kind: "fenced" });
    expect(await settle(three)).toEqual({ kind: "fenced" });
    expect(await settle(ask())).toEqual({ kind: "fenced" });
    expect(await target.usage(credit)).toMatchObject({ posted: 89n, held: 0n, used: 11n });
  });

  test("voiding refunds what had been charged, once, and bars an id whose admission is still on the way [MON-35]", async () => {
    const [one, late] = [ask(), ask()];
    await admit(one);
    await settle(one);
    const both = [one, late].map(({ id }) => ({ id, keyId: credit }));

    expect(await target.void(both)).toEqual([
      { kind: "voided", refunded: 7n },
      { kind: "voided", refunded: 0n },
    ]);
    expect(await target.void(both)).toEqual([
      { kind: "already", refunded: 7n },
      { kind: "already", refunded: 0n },
    ]);
    expect(await settle(one)).toEqual({ kind: "fenced" });
    expect(await admit(late)).toEqual([{ kind: "already", amount: null }]);
    expect(await target.usage(credit)).toMatchObject({ posted: 100n, held: 0n, requests: 0n, inputTokens: 0n });
  });

  test.each([
    ["credit", "on its day"],
    ["credit", "a day later"],
    ["tokens", "on its day"],
    ["tokens", "a day later"],
  ] as const)(
    "a request of a %s key that is undone %s shows as nothing spent [MON-35] [MON-45]",
    async (unit, when) => {
      const keyId = unit === "credit" ? credit : tokens;
      const record = { provider: "p", status: 200, firstByteMs: null, tookMs: 1, estimated: false };
      const [kept, undone] = [ask({ keyId }), ask({ keyId })];
      await admit(kept);
      await settle(kept, { price: 5n, record });
      const before = await target.usage(keyId);
      await target.advance(1);
      await admit(undone);
      await settle(undone, { price: 30n, record });
      expect(await target.usage(keyId)).toMatchObject({ used: 35n, todaySpend: 35n, lastCost: 30n, requests: 2n });
      if (when === "a day later") await target.advance(DAY_MS);
      const [turned] = unit === "tokens" && when === "a day later" ? [{ posted: 100n, used: 0n }] : [{}];
      const today = when === "a day later" ? { todaySpend: 0n } : {};

      expect(await target.void([{ id: undone.id, keyId }])).toEqual([{ kind: "voided", refunded: 30n }]);
      const { renewsAtMs: _, ...shown } = { ...before };
      expect(await target.usage(keyId)).toMatchObject({ ...shown, ...turned, ...today });
    },
  );

  test("a failed provider costs nothing, whatever the charge says, and moves no token totals [I5] [MON-32]", async () => {
    const failed = ask();
    await admit(failed);

    expect(await settle(failed, { outcome: "upstream_failed", price: 30n })).toEqual({ kind: "settled", charged: 0n });
    expect(await target.usage(credit)).toMatchObject({ posted: 100n, used: 0n, requests: 1n, inputTokens: 0n });
  });

  test("a client that is gone pays, without counting as a request [spec 6.2] [CAN-8] [CAN-9] [USG-20] [USG-28]", async () => {
    const gone = ask();
    await admit(gone);
    await settle(gone, { outcome: "client_gone" });

    expect(await target.usage(credit)).toMatchObject({
      used: 7n,
      requests: 0n,
      lastCost: 0n,
      inputTokens: 3n,
      todaySpend: 7n,
    });
    await target.advance(DAY_MS);
    expect(await target.usage(credit)).toMatchObject({ used: 7n, todaySpend: 0n });
  });

  test("an Idempotency-Key runs once and is replayed to the byte for a day [I9] [IDM-10]", async () => {
    const claim = { keySha256: bytes(1), fingerprint: bytes(2) };
    const answer = { status: 200, contentType: "application/json", body: Buffer.from([0, 255, 10]) };
    const first = ask({ claim });
    const other = { ...claim, fingerprint: bytes(3) };
    expect(await admit(first, ask({ claim }), ask({ claim: other }))).toMatchObject([
      { kind: "admitted" },
      { kind: "in_progress" },
      { kind: "key_reuse" },
    ]);

    await settle(first, { answer });
    expect(await admit(ask({ claim }))).toEqual([{ kind: "replay", answer }]);
    await target.advance(DAY_MS);
    expect(await admit(ask({ claim }))).toMatchObject([{ kind: "admitted" }]);
  });

  test("what becomes of a claim without a stored answer depends on what was charged or delivered [I9] [IDM-17] [IDM-18] [IDM-19]", async () => {
    const claimOf = (n: number) => ({ keySha256: bytes(n), fingerprint: bytes(2) });
    const asks = [1, 2, 3, 4].map((n) => ask({ most: 10n, claim: claimOf(n) }));
    await admit(...asks);
    const [finished, broken, failed, voided] = asks as [Ask, Ask, Ask, Ask];
    await settle(finished);
    await settle(broken, { outcome: "upstream_failed", contentDelivered: true });
    await settle(failed, { outcome: "upstream_failed", contentDelivered: false });
    await target.void([{ id: voided.id, keyId: credit }]);

    expect(await admit(...[1, 2, 3, 4].map((n) => ask({ most: 10n, claim: claimOf(n) })))).toMatchObject([
      { kind: "replay_unavailable" },
      { kind: "stream_interrupted" },
      { kind: "admitted" },
      { kind: "admitted" },
    ]);
  });

  test("after an outage nothing is swept until a full lease has gone by for everyone [I6]", async () => {
    const lost = ask();
    await admit(lost);
    await target.advance(600_000);
    await target.restart();
    const sweeper = names.processId(PROCESSES);

    for (let waitedMs = 0; waitedMs < 15_000; waitedMs += 5_000) {
      await target.heartbeat(sweeper);
      expect(await target.sweep(sweeper, 10)).toEqual([]);
      await target.advance(5_000);
    }
    await target.heartbeat(sweeper);
    expect(await target.sweep(sweeper, 10)).toEqual([{ id: lost.id, keyId: credit, charged: 0n }]);
  });

  test("funding is applied once per reference, and never below what is held [I7]", async () => {
    expect(await purchase(100n)).toEqual({ kind: "already" });
    expect(await purchase(101n)).toEqual({ kind: "reference_reuse" });
    await admit(ask());
    const adjust = { keyId: credit, reference: "a", kind: "adjust", amount: -61n } as const;
    expect(await target.fund(adjust)).toEqual({ kind: "reserved" });
    expect(await target.fund({ ...adjust, amount: -60n })).toEqual({ kind: "funded" });
    expect(await target.fund({ ...adjust, keyId: tokens })).toEqual({ kind: "not_a_purse" });
    expect(await target.fund({ ...adjust, keyId: names.keyId(9) })).toEqual({ kind: "unknown_counter" });
  });

  test("what the books of a key cannot hold is not booked, and leaves what they held [I7]", async () => {
    const most = 2n ** 63n - 1n;
    const gift = { keyId: credit, reference: "g", kind: "grant", amount: most } as const;
    expect(await target.fund(gift)).toEqual({ kind: "too_much" });
    expect(await target.fund({ ...gift, amount: most - 100n })).toEqual({ kind: "funded" });
    expect(await target.fund({ ...gift, reference: "h", amount: 1n })).toEqual({ kind: "too_much" });
    expect((await target.usage(credit))?.posted).toBe(most);
  });

  test.each(["credit", "tokens"] as const)(
    "a %s key that leaves more to the house within an hour than the cap is to be suspended, and a day later is not [CAN-11] [CAN-12]",
    async (unit) => {
      const keyId = unit === "credit" ? credit : tokens;
      const gone = async (absorbed: bigint) => {
        const left = ask({ keyId, least: 1n, most: 1n });
        await admit(left);
        return settle(left, { outcome: "client_gone", price: 0n, absorbed, capPerHour: 100n });
      };

      expect(await gone(60n)).toEqual({ kind: "settled", charged: 0n });
      expect(await gone(40n)).toEqual({ kind: "settled", charged: 0n });
      expect(await gone(1n)).toEqual({ kind: "settled", charged: 0n, overCap: true });
      expect(await target.suspend([keyId])).toEqual([keyId]);
      expect(await target.suspend([keyId, keyId])).toEqual([]);
      expect(await admit(ask({ keyId }))).toEqual([{ kind: "stale_key" }]);
      expect(await target.usage(keyId)).toMatchObject({ posted: 100n, used: 0n });

      await target.changeKey(keyId);
      await target.advance(DAY_MS);
      const [late] = [ask({ keyId, keyVersion: 3, least: 1n, most: 1n })];
      await admit(late);
      expect(await settle(late, { price: 0n, absorbed: 100n, capPerHour: 100n })).toEqual({
        kind: "settled",
        charged: 0n,
      });
    },
  );

  test.each(["credit", "tokens"] as const)(
    "what a %s key could not pay counts towards its suspension, too [MON-27] [CAN-12]",
    async (unit) => {
      const keyId = unit === "credit" ? credit : tokens;
      const [one, two] = [ask({ keyId, most: 50n }), ask({ keyId, most: 50n })];
      await admit(one, two);

      expect(await settle(one, { price: 80n, capPerHour: 30n })).toEqual({ kind: "settled", charged: 50n });
      expect(await settle(two, { price: 51n, capPerHour: 30n })).toEqual({
        kind: "settled",
        charged: 50n,
        overCap: true,
      });
    },
  );

  test.each(["credit", "tokens"] as const)(
    "a provider that fails after content costs a %s key nothing up to the cap of an hour, then what was delivered [I5] [MON-32] [MON-42]",
    async (unit) => {
      const keyId = unit === "credit" ? credit : tokens;
      const fail = async (waived: bigint, absorbed = 0n) => {
        const failed = ask({ keyId, most: 20n });
        await admit(failed);
        return settle(failed, { outcome: "upstream_failed", price: 0n, waived, absorbed, capPerHour: 50n });
      };

      expect(await fail(30n)).toEqual({ kind: "settled", charged: 0n });
      expect(await fail(20n)).toEqual({ kind: "settled", charged: 0n });
      expect(await target.usage(keyId)).toMatchObject({ posted: 100n, inputTokens: 0n, lastCost: 0n });
      expect(await fail(1n)).toEqual({ kind: "settled", charged: 1n });
      expect(await fail(25n)).toEqual({ kind: "settled", charged: 25n });
      expect(await target.usage(keyId)).toMatchObject({
        posted: 74n,
        used: 26n,
        inputTokens: 6n,
        lastCost: 25n,
        requests: 4n,
      });

      await target.advance(2 * 3_600_000);
      expect(await fail(50n)).toEqual({ kind: "settled", charged: 0n });
    },
  );

  test.each(["credit", "tokens"] as const)(
    "a client of a %s key that leaves before the provider responds pays nothing up to the cap of an hour, then its input [I5] [CAN-10]",
    async (unit) => {
      const keyId = unit === "credit" ? credit : tokens;
      const asks = [30n, 20n, 1n, 15n].map((waived) => ({ waived, of: ask({ keyId, most: 20n }) }));
      for (const { of } of asks) await admit(of);
      const ends = asks.map((it) => ({
        ...it,
        outcome: "client_gone" as const,
        price: 0n,
        absorbed: 0n,
        capPerHour: 50n,
        record: null,
      }));

      expect(await target.settle(ends)).toEqual([
        { kind: "settled", charged: 0n },
        { kind: "settled", charged: 0n },
        { kind: "settled", charged: 1n },
        { kind: "settled", charged: 15n },
      ]);
      // What cost nothing is not among what was used.
      expect(await target.usage(keyId)).toMatchObject({ posted: 84n, used: 16n, inputTokens: 6n, requests: 0n });
    },
  );

  test("failures of providers suspend nobody, and one batch does not waive the cap twice [MON-42]", async () => {
    const failed = [1, 2, 3].map(() => ask({ most: 20n }));
    await admit(...failed);
    const ends = failed.map((of) => ({
      of,
      outcome: "upstream_failed" as const,
      price: 0n,
      waived: 20n,
      capPerHour: 40n,
    }));

    expect(await target.settle(ends)).toEqual([
      { kind: "settled", charged: 0n },
      { kind: "settled", charged: 0n },
      { kind: "settled", charged: 20n },
    ]);
  });

  test("refunds of a charge together never exceed it, and undone whole it leaves neither spending nor funding behind [I1] [MON-45]", async () => {
    const paid = ask();
    await admit(paid);
    await settle(paid);
    const refund = { keyId: credit, reference: "r1", amount: 5n, about: paid.id };

    expect(await target.refund(refund)).toEqual({ kind: "funded" });
    expect(await target.usage(credit)).toMatchObject({ posted: 98n, used: 7n, refunded: 5n });
    expect(await target.refund({ ...refund, reference: "r2" })).toEqual({ kind: "refused" });
    expect(await target.void([{ id: paid.id, keyId: credit }])).toEqual([{ kind: "voided", refunded: 2n }]);
    expect(await target.usage(credit)).toMatchObject({
      posted: 100n,
      funded: 100n,
      refunded: 0n,
      used: 0n,
      todaySpend: 0n,
    });
  });
});
