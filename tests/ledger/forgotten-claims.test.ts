import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createId } from "../../src/core/ids.ts";
import type { Database } from "../../src/db/database.ts";
import { createLedgerStore } from "../../src/ledger/turn/ledger-store.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { askOf, type LoneKey, loneKey } from "../support/lone-key.ts";
import { SERVERS } from "./engines.ts";

const server = SERVERS[0];
const reason = server === undefined ? "no server" : server.reason;
const KIBIBYTE = 1_024;

describe.skipIf(reason !== null)("claims that have expired", () => {
  let database: Database;
  let close: () => Promise<void> = async () => undefined;
  let ledger: Ledger;
  let key: LoneKey;
  let keyId: string;
  const sweeper = createId(1);

  beforeAll(async () => {
    if (server) ({ database, close } = await server.open());
    ledger = createLedgerStore(database);
    key = await loneKey(database, { funds: 1_000n });
    keyId = key.keyId;
    await database.query("update test_clock set started = started - interval '1 hour'");
  });
  afterAll(() => close());
  beforeEach(() => database.script("delete from idempotency"));

  /** Kept answers of so many bytes each, some hours from their end; below zero it is past. */
  async function keep(answers: readonly { bytes: number; hours: number }[]): Promise<void> {
    for (const [n, { bytes, hours }] of answers.entries()) {
      await database.query(
        `insert into idempotency (key_id, key_sha256, fingerprint, state, hold_id, status, content_type, body, expires_at)
         values ($1, $2, $2, 'stored', $3, 200, 'text/plain', $4, ledger_now() + $5 * interval '1 hour')`,
        [keyId, Buffer.alloc(32, n), createId(Date.now()), Buffer.alloc(bytes), hours],
      );
    }
  }
  const left = async (): Promise<number> => (await database.query("select from idempotency")).length;

  test("that cannot be removed at the moment do not keep holds from being swept [I6]", async () => {
    await ledger.heartbeat(sweeper);
    await database.query("update process set renewing_since = renewing_since - interval '1 minute'");
    const ask = askOf(key, { lifetimeMs: 60_000 });
    const { id } = ask;
    await ledger.admit(createId(2), [ask]);
    await database.query("update hold set admitted_at = admitted_at - interval '1 minute'");
    await keep([{ bytes: 1, hours: -1 }]);

    const swept = await database.transaction(async (tx) => {
      await tx.query("select from idempotency for update");
      return ledger.sweep(sweeper, 10);
    });

    expect(swept).toMatchObject({ swept: [{ id }], quarantined: [] });
    expect((await ledger.usage(keyId))?.counters).toMatchObject([{ held: 0n }]);
  });

  test("are left for another time while somebody has them locked, and nobody waits", async () => {
    await keep([-3, -2, -1].map((hours) => ({ bytes: 1, hours })));

    const removed = await database.transaction(async (tx) => {
      await tx.query("select from idempotency where key_sha256 = $1 for update", [Buffer.alloc(32, 1)]);
      return database.transaction(async (other) => {
        await other.script("set local lock_timeout = 500");
        return createLedgerStore(other).forgetClaims({ items: 10, bytes: KIBIBYTE });
      });
    });

    expect(removed).toBe(2);
    expect(await ledger.forgetClaims({ items: 10, bytes: KIBIBYTE })).toBe(1);
  });

  test("are removed, and no others", async () => {
    await keep([-1, 1, -2, 2].map((hours) => ({ bytes: 1, hours })));

    expect(await ledger.forgetClaims({ items: 10, bytes: KIBIBYTE })).toBe(2);
    expect(await ledger.forgetClaims({ items: 10, bytes: KIBIBYTE })).toBe(0);
    expect(await left()).toBe(2);
  });

  test("are removed a few at a time, by number and by the size of their answers, but always one", async () => {
    await keep([-9, -8, -7, -6, -5].map((hours) => ({ bytes: 400, hours })));
    expect(await ledger.forgetClaims({ items: 1, bytes: KIBIBYTE })).toBe(1);
    expect(await ledger.forgetClaims({ items: 10, bytes: KIBIBYTE })).toBe(3);
    expect(await ledger.forgetClaims({ items: 10, bytes: 1 })).toBe(1);

    expect(await left()).toBe(0);
  });
});
