import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createId } from "../../src/core/ids.ts";
import type { KeyMode } from "../../src/core/people/key-mode.ts";
import type { Outcome } from "../../src/core/money/usage.ts";
import type { Database } from "../../src/db/database.ts";
import type { Ask, Ledger, Settlement } from "../../src/ledger/ledger.ts";
import { createLedgerStore } from "../../src/ledger/turn/ledger-store.ts";
import { until } from "../support/until.ts";
import { SERVERS } from "./engines.ts";
import { NO_USAGE } from "../../src/core/money/usage.ts";
import { type AskFields, askOf, creditsOf, type EndFields, endOf, type LoneKey, loneKey } from "../support/lone-key.ts";

const usage = {
  ...NO_USAGE,
  inputTokens: 3,
  outputTokens: 4,
  cacheReadTokens: 2,
  cacheWriteTokens: 1,
  reasoningTokens: 1,
};
const record = { provider: "acme", status: 200, firstByteMs: 12, tookMs: 90, estimated: false };
const processId = createId(1);

describe.each(SERVERS)("$name", ({ reason, open }) => {
  let database: Database;
  let close: () => Promise<void> = async () => undefined;
  let ledger: Ledger;

  beforeAll(async () => {
    if (reason !== null) return;
    ({ database, close } = await open());
    ledger = createLedgerStore(database);
  });
  afterAll(() => close());

  const newKey = (funds: bigint, mode: KeyMode = "credit"): Promise<LoneKey> => loneKey(database, { funds, mode });
  const ask = (key: LoneKey, fields: AskFields = {}): Ask => askOf(key, { priceVersion: 3, ...fields });
  const end = (it: Ask, outcome: Outcome, fields: EndFields = {}): Settlement =>
    endOf(it, { outcome, usage, record, ...fields });

  const addUp = (): Promise<unknown> => database.query("select rollup_v1(ledger_now())");

  test.skipIf(reason !== null)("journal rows can be neither changed nor removed, not even by their owner", async () => {
    const paid = ask(await newKey(100n));
    await ledger.admit(processId, [paid]);
    await ledger.settle([end(paid, "completed")]);
    await ledger.void([paid]);
    await database.query("insert into release values ($1, $2, true, 'test', now())", [paid.id, paid.keyId]);

    for (const sql of [
      "update charge set credits = 0",
      "delete from charge",
      "truncate charge",
      "truncate charge_other",
      "update funding set amount = 0",
      "delete from funding",
      "truncate funding",
      "update refund set credits = 0",
      "delete from refund",
      "truncate refund",
      "update chain set counters = '{}'",
      "delete from chain",
      "truncate chain",
      "update word set word = 'other'",
      "delete from word",
      "truncate word",
      "update release set actor = 'other'",
      "delete from release",
    ])
      await expect(database.query(sql), sql).rejects.toMatchObject({ code: "23001" });
  });

  test.skipIf(reason !== null)(
    "what a void gives back and what was absorbed are the house's, in the unit that they were charged in [MON-35]",
    async () => {
      for (const [unit, mode] of [
        ["credit", "credit"],
        ["tokens", "token_budget"],
      ] as const) {
        const key = await newKey(100n, mode);
        const { keyId } = key;
        const [undone, unpaid, left] = [ask(key), ask(key), ask(key)];
        await ledger.admit(processId, [undone, unpaid, left]);
        await ledger.settle([end(undone, "completed"), end(left, "client_gone", { price: 0n, absorbed: 3n })]);
        await ledger.void([undone, unpaid]);

        expect(
          await database.query("select hold_id, kind, amount, unit from house where key_id = $1 order by kind", [
            keyId,
          ]),
        ).toEqual([
          { hold_id: undone.id, kind: "voided", amount: 7n, unit },
          { hold_id: left.id, kind: "write_off", amount: 3n, unit },
        ]);
        expect(await database.query("select caused, failed from borne where whose = $1", [keyId])).toEqual([
          { caused: 3n, failed: 0n },
        ]);
      }
    },
  );

  test.skipIf(reason !== null)(
    "every end is a charge with what it was computed from, only a client's leaving is not reported, and an hour added up twice counts them once [spec 6.2] [MON-29] [MON-31] [MON-33] [CAN-6]",
    async () => {
      const key = await newKey(100n);
      const { keyId, chain } = key;
      const outcomes: Outcome[] = ["completed", "completed", "client_gone", "upstream_failed", "timed_out"];
      const asks = outcomes.map(() => ask(key));
      await ledger.admit(processId, asks);
      await ledger.settle(asks.map((it, index) => end(it, outcomes[index] ?? "completed")));

      const charges = await database.query<object>(
        `select kind, credits, tokens, model, provider, price_version, input, cache_read, cache_write, output, reasoning, first_byte_ms, reported
           from charge_in_words where key_id = $1 order by kind`,
        [keyId],
      );
      await addUp();
      await addUp();
      const rollups = await database.query<object>(
        `select k.name as kind, requests, credits, input, output from usage_rollup r join charge_kind k on k.no = r.kind
          where chain = $1 and k.name <> 'client_gone' order by k.name`,
        [chain.id],
      );

      const words = { model: "m", provider: "acme", price_version: 3, tokens: null };
      const counts = { input: 3, cache_read: 2, cache_write: 1, output: 4, reasoning: 1, first_byte_ms: 12 };
      const common = { ...words, ...counts, reported: true };
      expect(charges).toEqual([
        { kind: "client_gone", credits: 7n, ...common, reported: false },
        { kind: "completed", credits: 7n, ...common },
        { kind: "completed", credits: 7n, ...common },
        { kind: "timed_out", credits: 7n, ...common },
        { kind: "upstream_failed", credits: 0n, ...common },
      ]);
      expect(rollups).toEqual([
        { kind: "completed", requests: 2n, credits: 14n, input: 6n, output: 8n },
        { kind: "timed_out", requests: 1n, credits: 7n, input: 3n, output: 4n },
        { kind: "upstream_failed", requests: 1n, credits: 0n, input: 3n, output: 4n },
      ]);
    },
  );

  test.skipIf(reason !== null)(
    "a void takes its charge's share of the hour when that is next added up [MON-36]",
    async () => {
      const key = await newKey(100n);
      const [one, two] = [ask(key), ask(key)];
      await ledger.admit(processId, [one, two]);
      await ledger.settle([end(one, "completed"), end(two, "completed")]);
      await addUp();
      await ledger.void([one]);
      await addUp();

      const sums = "select requests, credits from usage_rollup where chain = $1";
      expect(await database.query(sums, [key.chain.id])).toEqual([{ requests: 1n, credits: 7n }]);
    },
  );

  test.skipIf(reason !== null)(
    "a batch with an impossible amount fails as data, and nothing of it happens",
    async () => {
      const key = await newKey(100n);
      const fine = ask(key);
      const tokens = { ...ask(key), least: { credits: null, tokens: 1n }, most: { credits: null, tokens: 1n } };
      const both = { ...ask(key), least: { credits: 1n, tokens: 1n }, most: { credits: 1n, tokens: 1n } };

      for (const wrong of [
        ask(key, { least: -1n }),
        ask(key, { least: 11n }),
        ask(key, { most: 2n ** 63n }),
        tokens,
        both,
      ])
        await expect(ledger.admit(processId, [fine, wrong])).rejects.toMatchObject({
          code: expect.stringMatching(/^22/),
        });
      await ledger.admit(processId, [fine]);
      await expect(ledger.settle([end(fine, "completed", { price: -1n })])).rejects.toMatchObject({ code: "22023" });
      await expect(
        ledger.settle([end(fine, "completed"), end(ask(key), "completed", { record: { ...record, status: 2 ** 40 } })]),
      ).rejects.toMatchObject({ code: "22003" });

      expect((await ledger.usage(key.keyId))?.counters).toMatchObject([{ posted: 100n, held: 10n, used: 0n }]);
    },
  );

  test.skipIf(reason !== null)(
    "amounts near the end of the range are exact, and past it are refused, not wrapped",
    async () => {
      const most = 2n ** 63n - 1n;
      const key = await newKey(most);
      const [all, more] = [ask(key, { least: most, most }), ask(key, { least: most, most })];

      expect(await ledger.admit(processId, [all, more])).toMatchObject([
        { kind: "admitted", granted: creditsOf(most) },
        { kind: "reserved", posted: creditsOf(most), available: creditsOf(0n) },
      ]);
      expect(await ledger.settle([end(all, "completed", { price: most })])).toEqual([
        { kind: "settled", charged: creditsOf(most) },
      ]);
    },
  );

  test.skipIf(reason !== null)("the functions make each commit durable even where the default is not", async () => {
    const key = await newKey(1n);
    const during = await database.transaction(async (tx) => {
      await tx.query("set local synchronous_commit = off");
      await createLedgerStore(tx).admit(processId, [ask(key)]);
      return tx.query("select current_setting('synchronous_commit') as now");
    });

    expect(during).toEqual([{ now: "on" }]);
  });

  test.skipIf(reason !== null)(
    "a key has its balance from the first moment, and its version follows every change",
    async () => {
      const key = await newKey(5n);
      await database.query("update key set status = 'revoked' where id = $1", [key.keyId]);

      expect(await ledger.admit(processId, [ask(key)])).toEqual([{ kind: "stale_key" }]);
      const shown = "select version, bucket, kind, unit, mode_unit from balance where key_id = $1";
      expect(await database.query(shown, [key.keyId])).toEqual([
        { version: 2n, bucket: 7, kind: "purse", unit: "credit", mode_unit: "credit" },
      ]);
    },
  );

  test.skipIf(reason !== null)("to bear less than nothing, or under no possible cap, fails as data", async () => {
    const open = ask(await newKey(10n));
    await ledger.admit(processId, [open]);

    for (const fields of [{ absorbed: -1n }, { waived: -1n }, { capPerHour: 0n }])
      await expect(ledger.settle([end(open, "upstream_failed", fields)])).rejects.toMatchObject({ code: "22023" });
  });

  test.skipIf(reason !== null)("suspending a key waits for an operator who changes it, and neither fails", async () => {
    const { keyId } = await newKey(5n);

    const suspending = await database.transaction(async (tx) => {
      await tx.query("select 1 from key where id = $1 for no key update", [keyId]);
      const call = ledger.suspend([keyId]);
      const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
      await until(async () => (await database.query(waiting)).length > 0, "the suspension waits for the key");
      await tx.query("update key set label = 'seen' where id = $1", [keyId]);
      return { call };
    });

    expect(await suspending.call).toEqual([keyId]);
    expect(await database.query("select label, status, version from key where id = $1", [keyId])).toEqual([
      { label: "seen", status: "suspended", version: 3n },
    ]);
  });

  test.skipIf(reason !== null)("a payment is booked to one purse, also when two are tried at once", async () => {
    const keys = [await newKey(1n), await newKey(1n)] as const;
    const [one, two] = keys;
    const pay = { reference: `pi_${one.keyId}`, kind: "purchase", amount: 50n, actor: "test" } as const;
    const both = await Promise.all(keys.map(({ counter }) => ledger.fund({ ...pay, counter })));
    expect(both.map(({ kind }) => kind).toSorted()).toEqual(["funded", "reference_reuse"]);
    const [paid, other] = both[0]?.kind === "funded" ? [one, two] : [two, one];

    expect(await ledger.fund({ ...pay, counter: other.counter })).toEqual({ kind: "reference_reuse" });
    expect(await ledger.fund({ ...pay, counter: paid.counter })).toEqual({ kind: "already" });
    expect(await ledger.fund({ ...pay, counter: other.counter, kind: "grant" })).toEqual({ kind: "funded" });
    expect((await ledger.usage(other.keyId))?.counters).toMatchObject([{ posted: 51n, funded: 51n }]);
    const numbers =
      "select count(*) as rows, max(seq) as last, (select fundings from balance where counter = $1) as given";
    expect(await database.query(`${numbers} from funding where counter = $1`, [other.counter])).toEqual([
      { rows: 2n, last: 2n, given: 2n },
    ]);
  });

  test.skipIf(reason !== null)("a day with partitions of its own keeps its charges as final as any", async () => {
    const dayMs = Date.UTC(2031, 4, 9);
    const key = await newKey(100n);
    const [today, next] = [
      ask(key, { id: createId(dayMs + 86_399_999) }),
      ask(key, { id: createId(dayMs + 86_400_000) }),
    ];

    expect(
      await database.query("select partition_v1('2031-05-09') as made, partition_v1('2031-05-09') as again"),
    ).toEqual([{ made: true, again: false }]);
    await ledger.admit(processId, [today, next]);
    await ledger.settle([end(today, "completed"), end(next, "completed")]);

    const where =
      "select hold_id as id, tableoid::regclass::text as part from charge where chain = $1 order by hold_id";
    expect(await database.query(where, [key.chain.id])).toEqual([
      { id: today.id, part: "charge_20310509" },
      { id: next.id, part: "charge_other" },
    ]);
    expect(await ledger.settle([end(today, "completed")])).toEqual([{ kind: "already", charged: creditsOf(7n) }]);
    expect(await ledger.admit(processId, [today, next])).toMatchObject([{ kind: "already" }, { kind: "already" }]);
    await expect(database.query("truncate charge_20310509")).rejects.toMatchObject({ code: "23001" });
    await expect(database.query("delete from charge_20310509")).rejects.toMatchObject({ code: "23001" });
  });

  test.skipIf(reason !== null)("a thousand requests in one batch are answered in their order", async () => {
    const keys = await Promise.all(Array.from({ length: 5 }, () => newKey(1_000n)));
    const asks = Array.from({ length: 1_000 }, (_, n) => ask(keys[n % 5] as LoneKey, { most: BigInt(1 + (n % 3)) }));

    const verdicts = await ledger.admit(processId, asks);

    expect(verdicts).toEqual(asks.map(({ most }) => ({ kind: "admitted", granted: most })));
  });
});
