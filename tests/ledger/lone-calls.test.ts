import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createId } from "../../src/core/ids.ts";
import type { Database, Transaction } from "../../src/db/database.ts";
import { createPostgres } from "../../src/db/postgres/postgres.ts";
import { createLedgerStore } from "../../src/ledger/turn/ledger-store.ts";
import type { Ask, Ledger, TurnAnswer } from "../../src/ledger/ledger.ts";
import { askOf, creditsOf, endOf, type LoneKey, loneKey } from "../support/lone-key.ts";
import { freshDatabase, type FreshDatabase, whyUnavailable } from "../support/postgres.ts";
import { until } from "../support/until.ts";

const limits = { poolSize: 4, connectTimeoutMs: 5_000, statementTimeoutMs: 10_000, onError: () => undefined };
const WAITING =
  "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%_turn_v%'";

describe.skipIf(whyUnavailable("15") !== null)("a turn of one call that waits for another call of its key", () => {
  let fresh: FreshDatabase;
  let database: Database;
  let ledger: Ledger;
  let key: LoneKey;
  let ask: Ask;
  const processId = createId(1);

  beforeAll(async () => {
    fresh = await freshDatabase();
    database = createPostgres({ url: fresh.url, ...limits });
    ledger = createLedgerStore(database);
  });
  afterAll(async () => {
    await database?.close();
    await fresh?.close();
  });

  /** Sends it while a transaction is under way, and answers once both are over. */
  async function sentDuring(work: (tx: Transaction) => Promise<unknown>, send: () => Promise<TurnAnswer>) {
    const { sent } = await database.transaction(async (tx) => {
      await work(tx);
      const answer = send();
      // It may be refused before the end of the transaction is heard of, and whoever asks for it then finds that out.
      answer.catch(() => undefined);
      await until(async () => (await database.query(WAITING)).length === 1, "the call waits");
      return { sent: answer };
    });
    return sent;
  }
  const settle = (): Promise<TurnAnswer> => ledger.turn(processId, { settlements: [endOf(ask)], asks: [] });
  const admit = (): Promise<TurnAnswer> => ledger.turn(processId, { settlements: [], asks: [ask] });
  const money = (): Promise<unknown[]> =>
    database.query(
      `select b.posted, b.held, b.requests, (select count(*) from hold where key_id = b.key_id) as holds,
              (select count(*) from charge where key_no = b.key_no) as charges from balance b where key_id = $1`,
      [key.keyId],
    );
  async function admitted(): Promise<void> {
    key = await loneKey(database, { funds: 100n });
    ask = askOf(key);
    expect(await admit()).toEqual({ settled: [], verdicts: [{ kind: "admitted", granted: creditsOf(10n) }] });
  }

  test("an end that waited for the void of its request charges nothing", async () => {
    await admitted();

    const answer = await sentDuring((tx) => createLedgerStore(tx).void([ask]), settle);

    expect(answer).toEqual({ settled: [{ kind: "fenced" }], verdicts: [] });
    expect(await money()).toEqual([{ posted: 100n, held: 0n, requests: 0n, holds: 0n, charges: 1n }]);
  });

  test("an end that waited for the void of its request charges nothing while others are held", async () => {
    await admitted();
    await ledger.turn(processId, { settlements: [], asks: [askOf(key, { most: 50n })] });

    const answer = await sentDuring((tx) => createLedgerStore(tx).void([ask]), settle);

    expect(answer).toEqual({ settled: [{ kind: "fenced" }], verdicts: [] });
    expect(await money()).toEqual([{ posted: 100n, held: 50n, requests: 0n, holds: 1n, charges: 1n }]);
  });

  test("of two ends of one request one charges", async () => {
    await admitted();

    const answer = await sentDuring((tx) => createLedgerStore(tx).settle([endOf(ask)]), settle);

    expect(answer).toEqual({ settled: [{ kind: "already", charged: creditsOf(7n) }], verdicts: [] });
    expect(await money()).toEqual([{ posted: 93n, held: 0n, requests: 1n, holds: 0n, charges: 1n }]);
  });

  test("of two admissions of one request one holds", async () => {
    key = await loneKey(database, { funds: 100n });
    ask = askOf(key);

    const answer = await sentDuring((tx) => createLedgerStore(tx).admit(processId, [ask]), admit);

    expect(answer).toEqual({ settled: [], verdicts: [{ kind: "already", granted: creditsOf(10n) }] });
    expect(await money()).toEqual([{ posted: 100n, held: 10n, requests: 0n, holds: 1n, charges: 0n }]);
  });

  test("an admission that waited for the end of its own request is not admitted again", async () => {
    await admitted();

    const answer = await sentDuring((tx) => createLedgerStore(tx).settle([endOf(ask)]), admit);

    expect(answer).toEqual({ settled: [], verdicts: [{ kind: "already", granted: creditsOf(10n) }] });
    expect(await money()).toEqual([{ posted: 93n, held: 0n, requests: 1n, holds: 0n, charges: 1n }]);
  });

  test("an admission that waited for a change of its key is not admitted", async () => {
    key = await loneKey(database, { funds: 100n });
    ask = askOf(key);

    const change = (tx: Transaction) => tx.query("update key set version = version + 1 where id = $1", [key.keyId]);
    const answer = await sentDuring(change, admit);

    expect(answer).toEqual({ settled: [], verdicts: [{ kind: "stale_key" }] });
  });

  test("an admission that waited for one that took the rest is told what is left", async () => {
    key = await loneKey(database, { funds: 15n });
    ask = askOf(key, { least: 6n });

    const other = askOf(key, { most: 10n });
    const answer = await sentDuring((tx) => createLedgerStore(tx).admit(processId, [other]), admit);

    expect(answer.verdicts).toMatchObject([{ kind: "reserved", available: creditsOf(5n) }]);
  });

  test("a call that waited while the books were taken away is refused", async () => {
    await admitted();
    const refused = sentDuring(async (tx) => {
      await tx.script("lock table server_line in exclusive mode");
      await tx.query("update server_line set superseded_by = timeline + 1");
    }, settle);

    await expect(refused).rejects.toMatchObject({ code: "08T01" });
  });
});
