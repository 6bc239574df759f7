import { afterAll, beforeAll, expect, test } from "vitest";
import { type Gateway, startGateway } from "../../../src/app.ts";
import { openProviderCredentials } from "../../../src/app/catalogue/provider-credentials.ts";
import { createCatalogueStore } from "../../../src/catalogue/catalogue-store.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import { systemClock } from "../../../src/core/clock.ts";
import { createId } from "../../../src/core/ids.ts";
import type { Database } from "../../../src/db/database.ts";
import { migrate } from "../../../src/db/schema/migrate.ts";
import { schemaFolder } from "../../../src/db/schema-files.ts";
import { createPostgres } from "../../../src/db/postgres/postgres.ts";
import { bucketOf, createSecret, digestOf } from "../../../src/keys/secret.ts";
import { createEvents } from "../../../src/telemetry/events.ts";
import { createLogger } from "../../../src/telemetry/log/logger.ts";
import { createMetrics } from "../../../src/telemetry/metrics/metrics.ts";
import { type Cluster, startCluster } from "../../support/postgres.ts";
import { signIns } from "../../support/signed-in.ts";
import { startSimulatorProcess } from "../../support/simulator-process.ts";
import { until } from "../../support/until.ts";
import { findWrong } from "./fold.ts";

const PRICE = { cacheReadNano: null, cacheWrite5mNano: null, cacheWrite1hNano: null, toolCallNano: {} };

let parts: AsyncDisposableStack;
let gateway: Gateway;
let here: Database;
let there: Database;
let away: Cluster;

/** One gateway over two ledger databases, each on a server of its own. The lower buckets are here, with the catalogue. */
beforeAll(async () => {
  parts = new AsyncDisposableStack();
  const [first, second] = await Promise.all([startCluster(), startCluster()]);
  parts.defer(() => Promise.all([first.close(), second.close()]).then(() => undefined));
  away = second;
  const open = (url: string): Database =>
    createPostgres({ url, poolSize: 4, connectTimeoutMs: 2_000, statementTimeoutMs: 10_000, onError: () => undefined });
  [here, there] = [open(first.url()), open(second.url())];
  for (const database of [here, there]) await migrate(database, { folder: schemaFolder() });
  const simulator = parts.adopt(await startSimulatorProcess(), async (it) => void (await it.stop()));
  const catalogue = createCatalogueStore(here);
  await catalogue.addProvider({ name: "acme", baseUrl: `${simulator.url}/v1`, credentialRef: "env:ACME_KEY" }, "keep");
  await catalogue.addModel({
    id: "small",
    displayName: null,
    contextWindow: 8_000,
    maxOutputTokens: 1_000,
    tariff: { ...PRICE, inputNano: 1_000_000_000n, outputNano: 1_000_000_000n },
    route: { provider: "acme", upstreamModel: "sim+tokens=20", dialect: "chat" },
    publication: "published",
  });
  const metrics = createMetrics();
  const logger = createLogger({ level: "silent", clock: systemClock, destination: { write: () => undefined } });
  gateway = await startGateway({
    config: loadConfig({ environment: { PORT: "0", TOLLGATE_ADMIN_PORT: "0" } }).config,
    adminToken: "an-operator-token-of-this-test",
    database: here,
    ledgers: [
      { first: 0, last: 2_047, database: here },
      { first: 2_048, last: 4_095, database: there },
    ],
    credentials: openProviderCredentials(
      { key: null, previousKey: null, directories: "", allowedReferences: "" },
      { ACME_KEY: "sk-provider-key-of-this-test" },
    ),
    events: createEvents({ logger, metrics, openTrace: () => null, clock: systemClock }),
    metrics,
    exposeTotals: () => metrics.expose(),
  });
  parts.defer(async () => {
    await gateway.stop();
    await there.close();
  });
});
afterAll(() => parts.disposeAsync());

const CREDIT = 10n ** 9n;

/** A lone key in the ledger that has its bucket. */
async function makeKey(bucket: number): Promise<string> {
  const database = bucket < 2_048 ? here : there;
  const { secret, prefix } = createSecret("credit", bucket);
  const id = createId(Date.now());
  await database.query("insert into key (id, bucket, mode) values ($1, $2, 'credit')", [id, bucket]);
  const [row] = await database.query<{ counter: number }>("select counter from balance where key_id = $1", [id]);
  await database.query("select fund_v1($1, $2, 'purchase', $3, 'test')", [row?.counter, `opening ${id}`, CREDIT]);
  const digest = Buffer.from(digestOf(secret), "base64url");
  await database.query("insert into key_secret (digest, key_id, bucket, prefix) values ($1, $2, $3, $4)", [
    digest,
    id,
    bucket,
    prefix,
  ]);
  return secret;
}

const headersOf = (secret: string) => ({ authorization: `Bearer ${secret}`, "content-type": "application/json" });

async function generate(secret: string): Promise<number> {
  const body = JSON.stringify({ model: "small", max_tokens: 30, messages: [{ role: "user", content: "Hello." }] });
  const response = await fetch(`${gateway.publicUrl}/v1/chat/completions`, {
    method: "POST",
    headers: headersOf(secret),
    body,
  });
  await response.text();
  return response.status;
}

async function remaining(secret: string): Promise<number> {
  const response = await fetch(`${gateway.publicUrl}/v1/usage`, { headers: headersOf(secret) });
  const { credits } = (await response.json()) as { credits: { remaining: number } };
  return credits.remaining;
}

/** What stands in a database: keys, charges, and what its counters have. */
async function booksOf(database: Database) {
  const [row] = await database.query<{ keys: bigint; charges: bigint; used: string }>(
    `select (select count(*) from key) as keys, (select count(*) from charge) as charges,
            (select coalesce(sum(used), 0)::text from counter_anywhere) as used`,
  );
  return row;
}

test("keys of either ledger work, each is charged where its money is, and one that is away harms nobody else's", async () => {
  const [low, high] = [await makeKey(17), await makeKey(4_000)];

  expect([await generate(low), await generate(high), await generate(high)]).toEqual([200, 200, 200]);
  expect(await booksOf(here)).toMatchObject({ keys: 1n, charges: 1n });
  expect(await booksOf(there)).toMatchObject({ keys: 1n, charges: 2n });
  const usedHere = Number((await booksOf(here))?.used);
  expect(usedHere, "a request costs something").toBeGreaterThan(0);
  expect(await remaining(low)).toBeCloseTo(1 - usedHere / 1e9, 9);
  expect(await remaining(high)).toBeCloseTo(1 - Number((await booksOf(there))?.used) / 1e9, 9);

  await away.stop({ mode: "immediate" });
  expect(await generate(high), "its ledger is away").toBe(503);
  expect(await Promise.all(Array.from({ length: 20 }, () => generate(low)))).toEqual(
    Array.from({ length: 20 }, () => 200),
  );
  await away.start();
  await until(async () => (await generate(high)) === 200, "the other ledger is back");

  expect(await booksOf(here)).toMatchObject({ keys: 1n, charges: 21n });
  for (const database of [here, there]) expect(await findWrong(database)).toEqual([]);
});

/** Somebody with an account, a purse and a session in one of the ledgers. */
async function signInAt(database: Database, bucket: number): Promise<string> {
  const id = createId(Date.now());
  const [opened] = await database.query<{ result: string }>("select * from account_open_v1($1, null, $2, 'team', $3)", [
    id,
    `Account ${bucket}`,
    bucket,
  ]);
  expect(opened?.result).toBe("done");
  const [purse] = await database.query<{ counter: number }>(
    "select * from counter_open_v1($1, null, 'purse', 'credit', 0, 'none', null, 'test')",
    [id],
  );
  await database.query("select fund_v1($1, $2, 'purchase', $3, 'test')", [purse?.counter, `opening ${id}`, CREDIT]);
  const { tokens } = await signIns(database).signIn(`person-${bucket}@acme.example`, id);
  return tokens.accessToken;
}

test("a session is served by the ledger of the bucket in its token, and by no other", async () => {
  const [low, high] = [await signInAt(here, 18), await signInAt(there, 4_001)];
  const before = { here: await booksOf(here), there: await booksOf(there) };

  expect([bucketOf(low), bucketOf(high)]).toEqual([18, 4_001]);
  expect([await generate(low), await generate(low), await generate(high)]).toEqual([200, 200, 200]);
  expect((await booksOf(here))?.charges).toBe((before.here?.charges ?? 0n) + 2n);
  expect((await booksOf(there))?.charges).toBe((before.there?.charges ?? 0n) + 1n);

  // Without the other server a session goes on, so it asks nothing of it.
  await away.stop({ mode: "immediate" });
  expect([await generate(low), await generate(high)]).toEqual([200, 503]);
  await away.start();
  await until(async () => (await generate(high)) === 200, "the other ledger is back");
  for (const database of [here, there]) expect(await findWrong(database)).toEqual([]);
});
