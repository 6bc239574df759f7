import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { createId } from "../../src/core/ids.ts";
import { whyRefused } from "../../src/db/database-error.ts";
import type { Database } from "../../src/db/database.ts";
import { createPostgres } from "../../src/db/postgres/postgres.ts";
import { createBatcher } from "../../src/ledger/turn/batcher.ts";
import { LedgerUnavailableError } from "../../src/ledger/turn/lane.ts";
import { createLedgerStore, ledgerFailureOf } from "../../src/ledger/turn/ledger-store.ts";
import type { Ask } from "../../src/ledger/ledger.ts";
import { askOf, creditsOf, type LoneKey, loneKey } from "../support/lone-key.ts";
import { freshDatabase, type FreshDatabase, whyUnavailable } from "../support/postgres.ts";

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const limits = { poolSize: 4, connectTimeoutMs: 5_000, statementTimeoutMs: 10_000, onError: () => undefined };

describe.skipIf(whyUnavailable("15") !== null)("the clock of a gateway is far from the database's", () => {
  let fresh: FreshDatabase;
  let database: Database;
  let key: LoneKey;
  const askAt = (offMs: number): Ask => askOf(key, { id: createId(Date.now() + offMs) });

  beforeAll(async () => {
    fresh = await freshDatabase();
    database = createPostgres({ url: fresh.url, ...limits });
    key = await loneKey(database, { funds: 1_000n });
  });
  afterEach(() => void vi.useRealTimers());
  afterAll(async () => {
    await database?.close();
    await fresh?.close();
  });

  test.each([HOUR_MS - MINUTE_MS, MINUTE_MS - HOUR_MS])("an id made %i ms off is admitted", async (offMs) => {
    const verdicts = await createLedgerStore(database).admit(createId(1), [askAt(offMs)]);

    expect(verdicts).toEqual([{ kind: "admitted", granted: creditsOf(10n) }]);
  });

  test.each([3 * 24 * HOUR_MS, HOUR_MS + MINUTE_MS, -HOUR_MS - MINUTE_MS])(
    "a batch with an id made %i ms off is refused, and nothing of it happens",
    async (offMs) => {
      const asks = [askAt(0), askAt(offMs)];

      await expect(createLedgerStore(database).admit(createId(1), asks)).rejects.toMatchObject({ code: "22T03" });

      expect(await database.query("select from hold where id = any ($1)", [asks.map(({ id }) => id)])).toEqual([]);
    },
  );

  test("its requests are answered as while the ledger is away, at once and without a void that would land in another day", async () => {
    const batcher = createBatcher({
      ledger: createLedgerStore(database),
      processId: createId(1),
      failureOf: ledgerFailureOf,
      clock: { elapsedMs: () => performance.now() },
      limits: { items: 64, bytes: 100_000, queued: 100, timeoutMs: 5_000, retryMs: 10, paceMs: 0 },
      settleTimeoutMs: 5_000,
      voidTimeoutMs: 5_000,
      onLostRelease: () => undefined,
    });
    const asks = Array.from({ length: 20 }, () => askAt(3 * 24 * HOUR_MS));

    const answers = await Promise.allSettled(asks.map((ask) => batcher.admit(ask)));

    for (const answer of answers)
      expect(answer).toMatchObject({ status: "rejected", reason: { cause: { code: "22T03" } } });
    expect(answers[0]).toMatchObject({ reason: expect.any(LedgerUnavailableError) });
    expect(batcher.waiting()).toBe(0);
    const ids = asks.map(({ id }) => id);
    expect(await database.query("select from charge where hold_id = any ($1)", [ids])).toEqual([]);
  });

  test("it is not ready, and the reason has both times and the fix", async () => {
    await database.ping();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 2 * HOUR_MS });

    const error = await database.ping().catch((reason: unknown) => reason);

    expect(whyRefused(error)).toMatch(
      /^request ids were made between .* and .*, and the database has .*: set the clock of the gateway's machine/,
    );
  });
});
