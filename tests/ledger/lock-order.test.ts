import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createId } from "../../src/core/ids.ts";
import { sqlStateOf } from "../../src/db/database-error.ts";
import type { Database } from "../../src/db/database.ts";
import { createPostgres } from "../../src/db/postgres/postgres.ts";
import { createLedgerStore } from "../../src/ledger/turn/ledger-store.ts";
import { loneKey } from "../support/lone-key.ts";
import { freshDatabase, type FreshDatabase, whyUnavailable } from "../support/postgres.ts";
import { until } from "../support/until.ts";

const limits = { poolSize: 4, connectTimeoutMs: 5_000, statementTimeoutMs: 10_000, onError: () => undefined };
const WAITING = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
const PERSON = "insert into person (id, email, name, created_at) values ($1, $2, 'somebody', now())";
const SESSION = `
  insert into client_session (id, person_id, family_digest, refresh_digest, client, agent, address, created_at, refreshed_at, expires_at)
  values ($1::uuid, $2, sha256(convert_to($1::uuid::text, 'UTF8')), sha256(convert_to($1::uuid::text, 'UTF8')), 'c', 'a', '::1', now(), now(), now())`;

describe.skipIf(whyUnavailable("15") !== null)("whoever changes several keys at once", () => {
  let fresh: FreshDatabase;
  let database: Database;

  beforeAll(async () => {
    fresh = await freshDatabase();
    database = createPostgres({ url: fresh.url, ...limits });
  });
  afterAll(async () => {
    await database?.close();
    await fresh?.close();
  });

  /** The later id is the earlier row, as after any change of a row. */
  async function twoKeys(): Promise<[low: string, high: string]> {
    const [low, high] = [createId(Date.now()), createId(Date.now() + 1)];
    for (const keyId of [high, low]) await loneKey(database, { keyId });
    return [low, high];
  }

  /** A turn that has locked the first of two balances, and locks the second when the other one waits. Answers the states of what failed. */
  async function besideATurn([low, high]: readonly string[], change: () => Promise<unknown>): Promise<string[]> {
    const failed: string[] = [];
    const note = (error: unknown): void => void failed.push(sqlStateOf(error) ?? String(error));
    let changing: Promise<unknown> = Promise.resolve();
    const turn = database.transaction(async (tx) => {
      await tx.query("select from balance where key_id = $1 for no key update", [low]);
      changing = change().catch(note);
      await until(async () => (await database.query(WAITING)).length === 1, "the change waits");
      await tx.query("select from balance where key_id = $1 for no key update", [high]);
    });
    await turn.catch(note);
    await changing;
    return failed;
  }

  test("to suspend them, locks their balances in the order of a turn", async () => {
    const keys = await twoKeys();
    const { suspend } = createLedgerStore(database);

    expect(await besideATurn(keys, () => suspend(keys))).toEqual([]);
    expect(await suspend(keys)).toEqual([]);
  });

  test("to end the sessions of a person, locks their balances in the order of a turn", async () => {
    const keys = await twoKeys();
    const person = createId(Date.now());
    await database.query(PERSON, [person, `${person}@example.com`]);
    for (const key of keys) await database.query(SESSION, [key, person]);

    const end = () => database.query("select client_sessions_end($1, null, 'person')", [person]);

    expect(await besideATurn(keys, end)).toEqual([]);
    expect(await database.query("select from key where id = any ($1) and status = 'revoked'", [keys])).toHaveLength(2);
  });
});
