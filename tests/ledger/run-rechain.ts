import { createPostgres } from "../../src/db/postgres/postgres.ts";
import { freshDatabase } from "../support/postgres.ts";
import { rechainStorm, STORM_CHECKS } from "./rechain-storm.ts";

/** Measures changes above many keys in use: `node tests/ledger/run-rechain.ts 5000 10000`. */
const limits = { poolSize: 12, connectTimeoutMs: 5_000, statementTimeoutMs: 30_000, onError: () => undefined };
for (const keys of process.argv.slice(2).map(Number)) {
  const fresh = await freshDatabase();
  const database = createPostgres({ url: fresh.url, ...limits });
  const { report } = await rechainStorm(database, { keys, connections: 4, rounds: 2 });
  const checks = await Promise.all(
    Object.entries(STORM_CHECKS).map(async ([name, sql]) => [name, (await database.query<{ n: number }>(sql))[0]?.n]),
  );
  const rounded = { ...report, changesMs: report.changesMs.map(Math.round) };
  process.stdout.write(`${JSON.stringify({ ...rounded, ...Object.fromEntries(checks) })}\n`);
  await database.close();
  await fresh.close();
}
process.exit(0);
