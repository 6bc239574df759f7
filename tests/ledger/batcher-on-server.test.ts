import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import { createId } from "../../src/core/ids.ts";
import type { Database } from "../../src/db/database.ts";
import { type Batcher, createBatcher } from "../../src/ledger/turn/batcher.ts";
import { createLedgerStore, ledgerFailureOf } from "../../src/ledger/turn/ledger-store.ts";
import type { Ask, Ledger, Settlement } from "../../src/ledger/ledger.ts";
import { until } from "../support/until.ts";
import { SERVERS } from "./engines.ts";
import { type AskFields, askOf, endOf, type LoneKey, loneKey } from "../support/lone-key.ts";

const limits = { items: 256, bytes: 1_000_000, queued: 2_000, timeoutMs: 10_000, retryMs: 20, paceMs: 0 };
const POISONED = 77;
const LEAVERS = 1_200;
const GONE = { outcome: "client_gone", price: 0n, absorbed: 3n, record: null } as const;
const MEBIBYTE = 1_048_576;
const refusedOf = (results: readonly PromiseSettledResult<unknown>[]): number[] =>
  results.flatMap(({ status }, index) => (status === "rejected" ? [index] : []));

describe.each(SERVERS)("$name", ({ reason, open }) => {
  let database: Database;
  let close: () => Promise<void> = async () => undefined;
  let ledger: Ledger;
  let batcher: Batcher;
  let key: LoneKey;
  let keyId = "";
  let settleCalls = 0;

  beforeAll(async () => {
    if (reason !== null) return;
    ({ database, close } = await open());
    ledger = createLedgerStore(database);
    key = await loneKey(database, { funds: 10_000n });
    keyId = key.keyId;
    batcher = createBatcher({
      ledger: {
        ...ledger,
        settle: (settlements) => {
          settleCalls += 1;
          return ledger.settle(settlements);
        },
      },
      processId: createId(1),
      failureOf: ledgerFailureOf,
      clock: systemClock,
      limits,
      settleTimeoutMs: 30_000,
      voidTimeoutMs: 10_000,
      onLostRelease: (error) => expect.unreachable(String(error)),
    });
  });
  afterAll(() => close());

  const ask = (fields: AskFields = {}): Ask => askOf(key, fields);
  const end = (it: Ask, status = 200): Settlement =>
    endOf(it, { price: 1n, record: { provider: "p", status, firstByteMs: null, tookMs: 1, estimated: false } });
  const held = async (): Promise<bigint> => (await ledger.usage(keyId))?.counters[0]?.held ?? -1n;

  test.skipIf(reason !== null)(
    "one tenant's impossible number among two hundred calls fails its own and no other",
    async () => {
      const before = await held();
      const asks = Array.from({ length: 200 }, (_, n) => ask(n === POISONED ? { lifetimeMs: 2 ** 40 } : {}));

      const admitted = await Promise.allSettled(asks.map((it) => batcher.admit(it)));
      const open = asks.filter((_, n) => n !== POISONED);
      expect(refusedOf(admitted)).toEqual([POISONED]);
      expect((await held()) - before).toBe(1_990n);

      const settled = await Promise.allSettled(
        open.map((it, n) => batcher.settle(end(it, n === POISONED ? 2 ** 40 : 200))),
      );
      expect(refusedOf(settled)).toEqual([POISONED]);
      expect((await held()) - before).toBe(10n);
      expect(await ledger.usage(keyId)).toMatchObject({ requests: 198n, counters: [{ used: 198n }] });
    },
  );

  test.skipIf(reason !== null)("a hundred repeats of a large answer keep nobody else's request waiting", async () => {
    const claim = { keySha256: Buffer.alloc(32, 1), fingerprint: Buffer.alloc(32, 2) };
    const answer = { status: 200, contentType: "text/plain", body: Buffer.alloc(MEBIBYTE, 7) };
    const first = ask({ claim });
    await batcher.admit(first);
    await batcher.settle({ ...end(first), answer });

    let replayed = 0;
    const repeats = Array.from({ length: 100 }, async () => {
      const verdict = await batcher.admit(ask({ claim }));
      replayed += 1;
      return verdict;
    });
    expect(await batcher.admit(ask())).toMatchObject({ kind: "admitted" });
    expect(replayed).toBeLessThan(50);
    const verdicts = await Promise.all(repeats);
    const equal = verdicts.filter((verdict) => verdict.kind === "replay" && verdict.answer.body.equals(answer.body));
    expect(equal).toHaveLength(100);
  });

  test.skipIf(reason !== null)(
    "twelve hundred callers of one key who leave at once are all booked and keep nobody else waiting [CAN-11]",
    async () => {
      const leaver = await loneKey(database, { mode: "token_budget", funds: 100_000n });
      const left = Array.from({ length: LEAVERS }, () => askOf(leaver, { most: 1n }));
      for (let n = 0; n < LEAVERS; n += limits.items) await ledger.admit(createId(1), left.slice(n, n + limits.items));
      const timed = async (): Promise<number> => {
        const startMs = performance.now();
        expect(await batcher.admit(ask())).toMatchObject({ kind: "admitted" });
        return performance.now() - startMs;
      };
      const quiet: number[] = [];
      for (let n = 0; n < 20; n += 1) quiet.push(await timed());

      const callsBefore = settleCalls;
      const leaving = Promise.all(left.map((it) => batcher.settleLate(endOf(it, GONE))));
      const busy: number[] = [];
      while (busy.length < 5) busy.push(await timed());
      const settled = await leaving;

      expect(settleCalls - callsBefore).toBeLessThanOrEqual(Math.ceil(LEAVERS / limits.items) + 1);
      expect(settled.filter(({ kind }) => kind === "settled")).toHaveLength(LEAVERS);
      const borne = "select count(*)::int as rows, sum(amount)::bigint as amount from house where key_id = $1";
      expect(await database.query(borne, [leaver.keyId])).toEqual([{ rows: LEAVERS, amount: BigInt(LEAVERS) * 3n }]);
      // The best of a few, because the machine has other things to do as well.
      expect(Math.min(...busy)).toBeLessThan(3 * Math.max(...quiet));
    },
  );

  test.skipIf(reason !== null)(
    "a connection cut in the middle of a batch costs a moment, and the batch happens once",
    async () => {
      const before = await held();
      const waiting =
        "select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
      const asks = [ask(), ask()];

      const answers = await database.transaction(async (tx) => {
        await tx.query("select 1 from balance where key_id = $1 for update", [keyId]);
        const calls = Promise.all(asks.map((it) => batcher.admit(it)));
        await until(async () => (await database.query(waiting)).length > 0, "the batch waits for the lock");
        await database.query(`select pg_terminate_backend(pid) from (${waiting}) w`);
        return { calls };
      });

      expect((await answers.calls).map(({ kind }) => kind)).toEqual(["admitted", "admitted"]);
      expect((await held()) - before).toBe(20n);
    },
  );
});
