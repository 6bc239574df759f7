import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "../../src/db/database.ts";
import { createPostgres } from "../../src/db/postgres/postgres.ts";
import { freshDatabase, whyUnavailable } from "../support/postgres.ts";
import { rechainStorm, STORM_CHECKS } from "./rechain-storm.ts";

const reason = whyUnavailable("15");
let database: Database;
let close: () => Promise<void>;

beforeAll(async () => {
  if (reason !== null) return;
  const fresh = await freshDatabase();
  const limits = { poolSize: 8, connectTimeoutMs: 5_000, statementTimeoutMs: 10_000, onError: () => undefined };
  database = createPostgres({ url: fresh.url, ...limits });
  close = async () => {
    await database.close();
    await fresh.close();
  };
});
afterAll(async () => {
  if (reason === null) await close();
});

test.skipIf(reason !== null)(
  "changes above keys in use deadlock with nobody, and no charge escapes the purse",
  async () => {
    const { report } = await rechainStorm(database, { keys: 300, connections: 2, rounds: 1 });

    expect(report.failures).toEqual([]);
    expect(report.stale).toBeGreaterThan(0);
    expect(report.admitted).toBeGreaterThan(0);
    expect(report.refused).toBe(0);
    for (const [check, sql] of Object.entries(STORM_CHECKS)) {
      const [row] = await database.query<{ n: number }>(sql);
      expect(`${check}: ${row?.n ?? -1}`).toBe(`${check}: 0`);
    }
  },
);
