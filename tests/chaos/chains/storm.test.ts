import { expect, test } from "vitest";
import { migrate } from "../../../src/db/schema/migrate.ts";
import { schemaFolder } from "../../../src/db/schema-files.ts";
import { createPostgres } from "../../../src/db/postgres/postgres.ts";
import { startCluster } from "../../support/postgres.ts";
import { runSeed } from "../../support/run-seed.ts";
import { runStorm, takeStormClock } from "./storm.ts";

/** The long one is `npm run chaos:chains`. */
test("books of chains are right at every instant, while teams move, days end and organisations are bumped", async () => {
  await using parts = new AsyncDisposableStack();
  const cluster = parts.adopt(await startCluster(), (it) => it.close());
  const pool = { poolSize: 4, connectTimeoutMs: 20_000, statementTimeoutMs: 60_000, onError: () => undefined };
  const open = () => parts.adopt(createPostgres({ url: cluster.url(), ...pool }), (it) => it.close());
  const [nemesis, gateways] = [open(), [open(), open()]];
  await migrate(nemesis, { folder: schemaFolder() });
  await takeStormClock(nemesis);
  const shape = { organisations: 2, teamsEach: 5, keysEach: 30, paid: 60_000n, keyCredits: null };
  const seed = runSeed();
  const report = await runStorm({
    gateways,
    nemesis,
    shape: { ...shape, teamCredits: 2_000n, teamTokens: 2_500n },
    holds: 3_000,
    seed,
  });

  expect(report, `seed ${seed}`).toMatchObject({ violations: [], deadlocks: 0 });
  expect(report.refusals, "some requests find too little").toBeGreaterThan(0);
  expect(Object.keys(report.changes).length, "the tree changes in many ways").toBeGreaterThan(5);
});
