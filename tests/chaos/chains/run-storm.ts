import { parseArgs } from "node:util";
import { migrate } from "../../../src/db/schema/migrate.ts";
import { schemaFolder } from "../../../src/db/schema-files.ts";
import { createPostgres } from "../../../src/db/postgres/postgres.ts";
import { startCluster } from "../../support/postgres.ts";
import { runStorm, takeStormClock } from "./storm.ts";

/**
 * The long storm over chains: 5,000 keys, at least 100,000 holds. Exits 1 when the books were wrong at any instant.
 * Usage: npm run chaos:chains -- [--holds 100000] [--gateways 4] [--keys 5000] [--seed N]
 */
const { values } = parseArgs({
  options: {
    holds: { type: "string", default: "100000" },
    gateways: { type: "string", default: "4" },
    keys: { type: "string", default: "5000" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});
const [holds, gateways, keys, seed] = [values.holds, values.gateways, values.keys, values.seed].map(Number) as [
  number,
  number,
  number,
  number,
];
const cluster = await startCluster({ settings: { shared_buffers: "256MB" } });
const pool = { poolSize: 4, connectTimeoutMs: 10_000, statementTimeoutMs: 120_000, onError: () => undefined };
const open = () => createPostgres({ url: cluster.url(), ...pool });
const databases = Array.from({ length: gateways }, open);
const nemesis = open();
const startedMs = performance.now();
try {
  await migrate(nemesis, { folder: schemaFolder() });
  await takeStormClock(nemesis);
  console.log(`seed ${seed}: ${keys} keys, ${gateways} gateways, ${holds} holds`);
  const shape = { organisations: 4, teamsEach: 10, keysEach: Math.ceil(keys / 40), paid: 60_000n };
  const report = await runStorm({
    gateways: databases,
    nemesis,
    shape: { ...shape, teamCredits: 2_000n, teamTokens: 2_500n, keyCredits: null },
    holds,
    seed,
    onProgress: ({ holds: done, changes }) => console.log(`${done} of ${holds} holds, ${changes} changes of the tree`),
  });
  const text = JSON.stringify(report, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value), 2);
  console.log(`${text}\n${Math.round((performance.now() - startedMs) / 1000)} s`);
  if (report.violations.length > 0) process.exitCode = 1;
} finally {
  await Promise.all([...databases, nemesis].map((database) => database.close()));
  await cluster.close();
}
