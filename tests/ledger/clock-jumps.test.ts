import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Database } from "../../src/db/database.ts";
import type { Ask } from "../../src/ledger/ledger.ts";
import type { AskFields } from "../support/lone-key.ts";
import { cases } from "../support/cases.ts";
import { namesOf } from "./commands.ts";
import { createComparison } from "./compare.ts";
import { databaseTarget } from "./database-target.ts";
import { SERVERS } from "./engines.ts";
import { jumpingSequence } from "./jumps.ts";
import { type LoneLedger, loneLedger } from "./lone-ledger.ts";
import { runSeed } from "../support/run-seed.ts";

const SEED = runSeed();
const NOON_MS = Date.UTC(2026, 10, 17, 12);
const DECEMBER_MS = Date.UTC(2026, 11, 1);
const DAY_MS = 86_400_000;
const [server] = SERVERS;
let run = 5_000;

// Of PostgreSQL, with the clock in the hands of the test.
describe.skipIf(server?.reason !== null)("when the clock jumps", () => {
  let database: Database;
  let close: () => Promise<void> = async () => undefined;
  let target: LoneLedger;
  let names = namesOf(run);
  let asked = 0;

  beforeAll(async () => {
    if (server) ({ database, close } = await server.open());
  });
  afterAll(() => close());
  beforeEach(async () => {
    run += 1;
    names = namesOf(run);
    target = loneLedger(await databaseTarget(database, NOON_MS));
    for (const process of [0, 1]) await target.heartbeat(names.processId(process));
  });

  /** Keys of a budget of 100 tokens a month. */
  async function keys(count: number): Promise<string[]> {
    const keyIds = Array.from({ length: count }, (_, n) => names.keyId(n));
    for (const keyId of keyIds) {
      await target.createKey(keyId, "tokens");
      await target.setLimit({ keyId, reference: "b", amount: 100n, period: "month" });
    }
    return keyIds;
  }
  const ask = (keyId: string, fields: AskFields = {}): Ask =>
    target.ask(keyId, { id: names.requestId((asked += 1)), least: 10n, most: 10n, ...fields });
  const admit = (...asks: Ask[]) => target.admit(names.processId(0), asks);
  const spend = async (keyId: string, amount: bigint): Promise<void> => {
    const of = ask(keyId, { least: amount, most: amount });
    expect(await admit(of)).toMatchObject([{ kind: "admitted" }]);
    await target.settle([{ of, price: amount }]);
  };
  const ahead = async (ms: number, during: () => Promise<unknown>): Promise<void> => {
    await target.advance(ms);
    await during();
    await target.advance(-ms);
  };
  const datedAhead = (): Promise<unknown[]> =>
    database.query(
      `select b.key_id as "keyId" from charge c join balance b on b.key_no = c.key_no cross join test_clock t
        where b.key_id::text like $1 and (c.at > t.now or c.admitted_at > t.now)`,
      [`${names.keyId(0).slice(0, 20)}%`],
    );
  const sweepAll = async (): Promise<void> => {
    for (let renewed = 0; renewed < 4; renewed += 1) {
      await target.heartbeat(names.processId(1));
      await target.advance(5_001);
    }
    await target.heartbeat(names.processId(1));
    const swept = await target.sweep(names.processId(1), 100);
    expect(swept.map(({ keyId }) => keyId)).toEqual(expect.arrayContaining([names.keyId(0), names.keyId(1)]));
    await target.advance(-20_004);
  };

  test.each([
    ["settled alone", async ([of]: Ask[]) => of && target.settle([{ of, price: 5n }])],
    ["settled together", async (all: Ask[]) => target.settle(all.map((of) => ({ of, price: 5n })))],
    ["undone", async (all: Ask[]) => target.void(all.map(({ id, keyId }) => ({ id, keyId })))],
    ["swept", sweepAll],
  ] as const)("requests that are %s far ahead begin no period [L12]", async (_, end) => {
    const [first = "", second = "", third = ""] = await keys(3);
    const credit = names.keyId(9);
    await target.createKey(credit, "credit");
    await target.purchase(credit, 1_000n);
    await spend(third, 100n);
    const open = [ask(first), ask(second)];
    await admit(...open);

    await ahead(20 * DAY_MS, () => end(open));

    // One batch of everybody, in which nobody has a later instant than the clock.
    const limited = Array.from({ length: 6 }, () => ask(credit, { rpmLimit: 5 }));
    const batch = [ask(first), ask(second), ask(third), ...limited];
    const verdicts = await admit(...batch);
    expect(verdicts.map(({ kind }) => kind)).toEqual([
      "admitted",
      "admitted",
      "limit_reached",
      ...Array.from({ length: 5 }, () => "admitted"),
      "rate_limited",
    ]);
    await target.settle(
      batch.filter((_, place) => verdicts[place]?.kind === "admitted").map((of) => ({ of, price: 1n })),
    );
    for (const keyId of [first, second, third])
      expect(await target.usage(keyId)).toMatchObject({ renewsAtMs: DECEMBER_MS });
    const late = new Set(open.map(({ keyId }) => keyId));
    const dated = (await datedAhead()) as { keyId: string }[];
    expect(dated.filter(({ keyId }) => !late.has(keyId))).toEqual([]);
    await target.advance(60_000);
    expect(await admit(ask(credit, { rpmLimit: 5 }))).toMatchObject([{ kind: "admitted" }]);
  });

  test("a period that began ahead is nobody else's, and its counter starts nothing before it [L12]", async () => {
    const [first = "", second = "", third = ""] = await keys(3);
    await spend(second, 100n);
    await ahead(20 * DAY_MS, () => spend(first, 10n));

    const refused = { kind: "not_begun", beginsAtMs: DECEMBER_MS };
    expect(await admit(ask(first), ask(second), ask(third))).toMatchObject([
      refused,
      { kind: "limit_reached", renewsAtMs: DECEMBER_MS },
      { kind: "admitted" },
    ]);
    expect(await admit(ask(first))).toMatchObject([refused]);
    expect(await admit(ask(second))).toMatchObject([{ kind: "limit_reached" }]);
    expect(await target.usage(third)).toMatchObject({ held: 10n, renewsAtMs: DECEMBER_MS });
    await target.advance(DECEMBER_MS - target.nowMs());
    expect(await admit(ask(first), ask(second))).toMatchObject([{ kind: "admitted" }, { kind: "admitted" }]);
    expect(await target.usage(first)).toMatchObject({ used: 10n, held: 10n, posted: 90n });
  });

  test("a period that began less than an hour ahead is that of the requests that start", async () => {
    const [first = "", second = ""] = await keys(2);
    await target.advance(DECEMBER_MS - 600_000 - target.nowMs());
    await ahead(1_200_000, () => spend(first, 90n));

    expect(await admit(ask(first), ask(second), ask(first))).toMatchObject([
      { kind: "admitted" },
      { kind: "admitted" },
      { kind: "reserved" },
    ]);
    expect(await target.usage(second)).toMatchObject({ renewsAtMs: DECEMBER_MS });
    await target.advance(600_000);
    expect(await target.usage(first)).toMatchObject({ used: 90n, held: 10n, posted: 10n });
  });

  test("requests that a clock counted ahead lock nobody out [I10]", async () => {
    const keyId = names.keyId(0);
    await target.createKey(keyId, "credit");
    await target.purchase(keyId, 1_000n);
    const limited = () => ask(keyId, { rpmLimit: 2 });
    await ahead(3_000_000, () => admit(limited(), limited()));

    expect(await admit(limited(), limited(), limited())).toMatchObject([
      { kind: "admitted" },
      { kind: "admitted", rate: { remaining: 0, resetMs: 60_000 } },
      { kind: "rate_limited", retryAfterMs: 60_000 },
    ]);
    await target.advance(60_000);
    expect(await admit(limited())).toMatchObject([{ kind: "admitted", rate: { remaining: 1 } }]);
  });

  test(`the functions answer and remember exactly what the model does (seed ${SEED})`, async () => {
    const compare = createComparison(database);

    await fc.assert(fc.asyncProperty(jumpingSequence(40), compare), {
      seed: SEED,
      numRuns: cases({ gate: 15, long: 100 }),
      endOnFailure: true,
    });
  }, 300_000);
});
