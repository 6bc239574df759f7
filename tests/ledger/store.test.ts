import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createId } from "../../src/core/ids.ts";
import type { Outcome } from "../../src/core/usage.ts";
import type { Database } from "../../src/db/database.ts";
import type { Ask, Ledger, Settlement } from "../../src/ledger/ledger.ts";
import { createLedgerStore } from "../../src/ledger/ledger-store.ts";
import { until } from "../support/until.ts";
import { SERVERS } from "./engines.ts";
import { NO_USAGE } from "../../src/core/usage.ts";
import { NOTHING_BORNE } from "../support/nothing-borne.ts";
import { PLAIN_ASK } from "../support/plain-ask.ts";

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

  const newKey = async (credits: bigint): Promise<string> => {
    const keyId = createId(Date.now());
    await database.query("insert into key (id, bucket, mode) values ($1, 7, 'credit')", [keyId]);
    await ledger.fund({
      keyId,
      reference: `p ${keyId}`,
      kind: "purchase",
      amount: credits,
      about: null,
      actor: "test",
    });
    return keyId;
  };
  const ask = (keyId: string, fields: Partial<Ask> = {}): Ask => ({
    id: createId(Date.now()),
    keyId,
    ...PLAIN_ASK,
    priceVersion: 3,
    ...fields,
  });
  const end = ({ id, keyId }: Ask, outcome: Outcome, fields: Partial<Settlement> = {}): Settlement => ({
    id,
    keyId,
    outcome,
    charge: 7n,
    usage,
    contentDelivered: true,
    record,
    answer: null,
    bucket: 7,
    ...NOTHING_BORNE,
    ...fields,
  });

  const addUp = (): Promise<unknown> => database.query("select rollup_v1(ledger_now())");

  test.skipIf(reason !== null)("journal rows can be neither changed nor removed, not even by their owner", async () => {
    const paid = ask(await newKey(100n));
    await ledger.admit(processId, [paid]);
    await ledger.settle([end(paid, "completed")]);

    for (const sql of [
      "update charge set amount = 0",
      "delete from charge",
      "truncate charge",
      "truncate charge_other",
      "update funding set amount = 0",
      "delete from funding",
      "truncate funding",
    ])
      await expect(database.query(sql), sql).rejects.toMatchObject({ code: "23001" });
  });

  test.skipIf(reason !== null)(
    "what a void gives back and what was absorbed are the house's, in the unit of their key [MON-35]",
    async () => {
      const tokens = createId(Date.now());
      await database.query("insert into key (id, bucket, mode) values ($1, 7, 'token_budget')", [tokens]);
      await ledger.setBudget({ keyId: tokens, reference: "b", budget: 100n, period: "day", actor: "test" });
      for (const [unit, keyId] of [
        ["credit", await newKey(100n)],
        ["tokens", tokens],
      ] as const) {
        const [undone, unpaid, left] = [ask(keyId), ask(keyId), ask(keyId)];
        await ledger.admit(processId, [undone, unpaid, left]);
        await ledger.settle([end(undone, "completed"), end(left, "client_gone", { charge: 0n, absorbed: 3n })]);
        await ledger.void([
          { id: undone.id, keyId, bucket: 7, contentDelivered: false },
          { id: unpaid.id, keyId, bucket: 7, contentDelivered: false },
        ]);

        expect(
          await database.query("select hold_id, kind, amount, unit from house where key_id = $1 order by kind", [
            keyId,
          ]),
        ).toEqual([
          { hold_id: undone.id, kind: "voided", amount: 7n, unit },
          { hold_id: left.id, kind: "write_off", amount: 3n, unit },
        ]);
        expect(await database.query("select caused, failed from borne where key_id = $1", [keyId])).toEqual([
          { caused: 3n, failed: 0n },
        ]);
      }
    },
  );

  test.skipIf(reason !== null)(
    "every end but a client's leaving is recorded, and an hour added up twice counts them once [spec 6.2] [MON-29] [MON-31] [MON-33] [CAN-6]",
    async () => {
      const keyId = await newKey(100n);
      const outcomes: Outcome[] = ["completed", "completed", "client_gone", "upstream_failed", "timed_out"];
      const asks = outcomes.map(() => ask(keyId));
      await ledger.admit(processId, asks);
      await ledger.settle(asks.map((it, index) => end(it, outcomes[index] ?? "completed")));

      const records = await database.query<object>(
        "select outcome, cost, price_version, cache_read, first_byte_ms, bucket from usage_record where key_id = $1 order by outcome",
        [keyId],
      );
      await addUp();
      await addUp();
      const rollups = await database.query<object>(
        "select outcome, requests, cost, tokens_in, tokens_out from usage_rollup where key_id = $1 order by outcome",
        [keyId],
      );
      const charges = await database.query<object>("select 1 from charge where key_id = $1", [keyId]);

      const common = { price_version: 3, cache_read: 2n, first_byte_ms: 12, bucket: 7 };
      expect(records).toEqual([
        { outcome: "completed", cost: 7n, ...common },
        { outcome: "completed", cost: 7n, ...common },
        { outcome: "timed_out", cost: 7n, ...common },
        { outcome: "upstream_failed", cost: 0n, ...common },
      ]);
      expect(rollups).toEqual([
        { outcome: "completed", requests: 2n, cost: 14n, tokens_in: 6n, tokens_out: 8n },
        { outcome: "timed_out", requests: 1n, cost: 7n, tokens_in: 3n, tokens_out: 4n },
        { outcome: "upstream_failed", requests: 1n, cost: 0n, tokens_in: 3n, tokens_out: 4n },
      ]);
      expect(charges).toHaveLength(5);
    },
  );

  test.skipIf(reason !== null)(
    "a void takes the record back with the charge, and its share of the hour when that is next added up [MON-36]",
    async () => {
      const keyId = await newKey(100n);
      const [one, two] = [ask(keyId), ask(keyId)];
      await ledger.admit(processId, [one, two]);
      await ledger.settle([end(one, "completed"), end(two, "completed")]);
      await addUp();
      await ledger.void([{ id: one.id, keyId, bucket: 7 }]);
      await addUp();

      const sums =
        "select (select count(*) from usage_record where key_id = $1) as records, requests, cost from usage_rollup where key_id = $1";
      expect(await database.query(sums, [keyId])).toEqual([{ records: 1n, requests: 1n, cost: 7n }]);
    },
  );

  test.skipIf(reason !== null)(
    "a batch with an impossible amount fails as data, and nothing of it happens",
    async () => {
      const keyId = await newKey(100n);
      const fine = ask(keyId);

      for (const wrong of [{ least: -1n }, { least: 11n }, { most: 2n ** 63n }])
        await expect(ledger.admit(processId, [fine, ask(keyId, wrong)])).rejects.toMatchObject({
          code: expect.stringMatching(/^22/),
        });
      await ledger.admit(processId, [fine]);
      await expect(ledger.settle([end(fine, "completed", { charge: -1n })])).rejects.toMatchObject({ code: "22023" });
      await expect(
        ledger.settle([
          end(fine, "completed"),
          end(ask(keyId), "completed", { record: { ...record, provider: "\0" } }),
        ]),
      ).rejects.toMatchObject({ code: "22021" });

      expect(await ledger.usage(keyId)).toMatchObject({ posted: 100n, held: 10n, used: 0n });
    },
  );

  test.skipIf(reason !== null)(
    "amounts near the end of the range are exact, and past it are refused, not wrapped",
    async () => {
      const most = 2n ** 63n - 1n;
      const keyId = await newKey(most);
      const [all, more] = [ask(keyId, { least: most, most }), ask(keyId, { least: most, most })];

      expect(await ledger.admit(processId, [all, more])).toEqual([
        { kind: "admitted", amount: most },
        { kind: "reserved", posted: most, held: most },
      ]);
      expect(await ledger.settle([end(all, "completed", { charge: most })])).toEqual([
        { kind: "settled", charged: most },
      ]);
    },
  );

  test.skipIf(reason !== null)("the functions make each commit durable even where the default is not", async () => {
    const keyId = await newKey(1n);
    const during = await database.transaction(async (tx) => {
      await tx.query("set local synchronous_commit = off");
      await createLedgerStore(tx).admit(processId, [ask(keyId)]);
      return tx.query("select current_setting('synchronous_commit') as now");
    });

    expect(during).toEqual([{ now: "on" }]);
  });

  test.skipIf(reason !== null)(
    "a key has its balance from the first moment, and its version follows every change",
    async () => {
      const keyId = await newKey(5n);
      await database.query("update key set status = 'revoked' where id = $1", [keyId]);

      expect(await ledger.admit(processId, [ask(keyId)])).toEqual([{ kind: "stale_key" }]);
      expect(await database.query("select version, bucket, unit from balance where key_id = $1", [keyId])).toEqual([
        { version: 2n, bucket: 7, unit: "credit" },
      ]);
    },
  );

  test.skipIf(reason !== null)("to bear less than nothing, or under no possible cap, fails as data", async () => {
    const open = ask(await newKey(10n));
    await ledger.admit(processId, [open]);

    for (const fields of [{ absorbed: -1n }, { waived: -1n }, { capPerHour: 0n }])
      await expect(ledger.settle([end(open, "upstream_failed", fields)])).rejects.toMatchObject({ code: "22023" });
  });

  test.skipIf(reason !== null)("a process of the version before still books what its callers left behind", async () => {
    const keyId = await newKey(5n);
    const writeOff = async (amount: bigint, id = createId(Date.now())): Promise<unknown> =>
      (await database.query("select write_off_v1($1, $2, $3, 10) as suspended", [id, keyId, amount]))[0];
    const first = createId(Date.now());

    expect(await writeOff(10n, first)).toEqual({ suspended: false });
    expect(await writeOff(10n, first)).toEqual({ suspended: false });
    expect(await writeOff(1n)).toEqual({ suspended: true });
    expect(await writeOff(1n)).toEqual({ suspended: false });
  });

  test.skipIf(reason !== null)("suspending a key waits for an operator who changes it, and neither fails", async () => {
    const keyId = await newKey(5n);

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

  test.skipIf(reason !== null)("a payment is booked to one key, also when two are tried at once", async () => {
    const [one, two] = [await newKey(1n), await newKey(1n)];
    const pay = { reference: `pi_${one}`, kind: "purchase", amount: 50n, about: null, actor: "test" } as const;
    const both = await Promise.all([one, two].map((keyId) => ledger.fund({ ...pay, keyId })));
    expect(both.map(({ kind }) => kind).toSorted()).toEqual(["funded", "reference_reuse"]);
    const [paid, other] = both[0]?.kind === "funded" ? [one, two] : [two, one];

    expect(await ledger.fund({ ...pay, keyId: other })).toEqual({ kind: "reference_reuse" });
    expect(await ledger.fund({ ...pay, keyId: paid })).toEqual({ kind: "already" });
    expect(await ledger.fund({ ...pay, keyId: other, kind: "grant" })).toEqual({ kind: "funded" });
    expect(await ledger.usage(other)).toMatchObject({ posted: 51n, purchased: 51n });
    const numbers =
      "select count(*) as rows, max(seq) as last, (select fundings from balance where key_id = $1) as given";
    expect(await database.query(`${numbers} from funding where key_id = $1`, [other])).toEqual([
      { rows: 2n, last: 2n, given: 2n },
    ]);
  });

  test.skipIf(reason !== null)("a payment booked before there were numbers is not booked again", async () => {
    const [one, two, three] = [await newKey(1n), await newKey(1n), await newKey(1n)];
    const pay = { reference: `old_${one}`, kind: "purchase", amount: 50n, about: null, actor: "test" } as const;
    await database.script(`alter table funding disable trigger funding_numbered;
      insert into funding (key_id, reference, bucket, kind, amount, period_no, actor, at)
      select id, '${pay.reference}', 7, 'purchase', 50, 0, 'test', now() from unnest('{${one},${two}}'::uuid[]) id;
      alter table funding enable trigger funding_numbered`);

    expect(await ledger.fund({ ...pay, keyId: three })).toEqual({ kind: "reference_reuse" });
    expect(await ledger.fund({ ...pay, keyId: one })).toEqual({ kind: "already" });
  });

  test.skipIf(reason !== null)("a day with partitions of its own keeps its charges as final as any", async () => {
    const dayMs = Date.UTC(2031, 4, 9);
    const keyId = await newKey(100n);
    const [today, next] = [
      ask(keyId, { id: createId(dayMs + 86_399_999) }),
      ask(keyId, { id: createId(dayMs + 86_400_000) }),
    ];

    expect(
      await database.query("select partition_v1('2031-05-09') as made, partition_v1('2031-05-09') as again"),
    ).toEqual([{ made: true, again: false }]);
    await ledger.admit(processId, [today, next]);
    await ledger.settle([end(today, "completed"), end(next, "completed")]);

    const where =
      "select hold_id as id, tableoid::regclass::text as part from charge where key_id = $1 order by hold_id";
    expect(await database.query(where, [keyId])).toEqual([
      { id: today.id, part: "charge_20310509" },
      { id: next.id, part: "charge_other" },
    ]);
    expect(await ledger.settle([end(today, "completed")])).toEqual([{ kind: "already", charged: 7n }]);
    expect(await ledger.admit(processId, [today, next])).toMatchObject([{ kind: "already" }, { kind: "already" }]);
    await expect(database.query("truncate charge_20310509")).rejects.toMatchObject({ code: "23001" });
    await expect(database.query("delete from charge_20310509")).rejects.toMatchObject({ code: "23001" });
  });

  test.skipIf(reason !== null)("a thousand requests in one batch are answered in their order", async () => {
    const keys = await Promise.all(Array.from({ length: 5 }, () => newKey(1_000n)));
    const asks = Array.from({ length: 1_000 }, (_, n) => ask(keys[n % 5] ?? "", { most: BigInt(1 + (n % 3)) }));

    const verdicts = await ledger.admit(processId, asks);

    expect(verdicts).toEqual(asks.map(({ most }) => ({ kind: "admitted", amount: most })));
  });
});
