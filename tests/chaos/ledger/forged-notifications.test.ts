import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createId } from "../../../src/core/ids.ts";
import { whyUnavailable } from "../../support/postgres.ts";
import { until } from "../../support/until.ts";
import type { StageKey } from "./ask.ts";
import { openStreams } from "./open-streams.ts";
import { withClient } from "./read-ledger.ts";
import { expectServing, expectSound, expectVerified } from "./report.ts";
import { type Gateway, type Stage, startStage } from "./stage.ts";

const STREAMS = 9;
/** PostgreSQL takes no more in one notification. */
const LONGEST = 7_999;
const PER_BURST = 100;
/** So that a small machine has time left for requests: this is about what notifications do, and not about who gets the processor. */
const BETWEEN_BURSTS_MS = 20;
const FLOOD_MS = 5_000;
/** What the gateway may read again per second of it, of anything. */
const READS_PER_SECOND = 60;

describe.skipIf(whyUnavailable("15"))("a role without any privilege forges notifications", () => {
  let stage: Stage;
  let gateway: Gateway;
  let key: StageKey;
  let other: StageKey;

  beforeAll(async () => {
    stage = await startStage();
    gateway = await stage.startGateway();
    key = await stage.makeKey({ credit: 100_000_000_000n });
    other = await stage.makeKey({ credit: 100_000_000_000n });
    await withClient(stage.cluster().url(), (client) => client.query("create role nobody login"));
  });
  afterAll(() => stage?.close());

  /** How often the tables were read that a notification is about. */
  const reads = (): Promise<number> =>
    withClient(stage.cluster().url(), async (client) => {
      const { rows } = await client.query<{ reads: number }>(
        `select sum(seq_scan + coalesce(idx_scan, 0))::int as reads from pg_stat_user_tables where relname in ('route', 'key_secret')`,
      );
      return rows[0]?.reads ?? 0;
    });

  /** Up to 5,000 a second. Each is a transaction of its own, or it would send equal ones once. */
  async function flood(channel: string, payload: (index: number) => string): Promise<number> {
    const client = new Client({ connectionString: stage.cluster().url().replace("postgres@", "nobody@") });
    client.on("error", () => undefined);
    await client.connect();
    let sent = 0;
    for (const untilMs = performance.now() + FLOOD_MS; performance.now() < untilMs; sent += PER_BURST) {
      const notify = Array.from({ length: PER_BURST }, (_, index) => `notify ${channel}, '${payload(index)}'; commit`);
      await client.query(notify.join("; "));
      await sleep(BETWEEN_BURSTS_MS);
    }
    await client.end();
    return sent;
  }

  test("streams and requests go on, nothing is read without end, and changes are still heard", async () => {
    const streams = await openStreams({ stage, gateways: [gateway], key, count: STREAMS });
    const before = { reads: await reads(), atMs: performance.now() };

    let flooding = true;
    const floods = Promise.all([
      flood("tollgate_keys", () => key.id),
      flood("tollgate_keys", () => createId(Date.now())),
      flood(
        "tollgate_keys",
        (index) => ["", "null", "{", "key_", "x".repeat(LONGEST), "\u00e4\u2028"][index % 6] ?? "",
      ),
      flood("tollgate_check", (index) => (index % 2 === 0 ? createId(Date.now()) : "z".repeat(LONGEST))),
      flood("tollgate_catalogue", (index) => (index % 2 === 0 ? "" : "y".repeat(LONGEST))),
    ]).finally(() => (flooding = false));
    let served = 0;
    const statuses = new Map<number | null, number>();
    while (flooding) {
      const entry = await stage.ask({ gateway, key: served % 2 === 0 ? key : other, model: "fast" });
      statuses.set(entry.status, (statuses.get(entry.status) ?? 0) + 1);
      served += 1;
    }
    const counts = await floods;
    const sent = counts.reduce((sum, count) => sum + count, 0);
    // Ids that could be a key's are looked up together, and the server counts each.
    const [, possible] = counts;
    const seconds = (performance.now() - before.atMs) / 1_000;

    console.log(`answers meanwhile by status: ${JSON.stringify([...statuses])}`);
    expect([...statuses.keys()]).toEqual([200]);
    const entries = await streams.ended;
    expect(entries.filter(({ terminalAtMs }) => terminalAtMs !== null).length).toBe(STREAMS);
    await expectServing(stage, [gateway], key);
    // Sessions report what they have read once a second.
    const read = (await reads()) - before.reads;
    console.log(`${sent} forged notifications in ${seconds.toFixed(1)} s: ${served} requests served, ${read} reads`);
    expect(read).toBeLessThan(READS_PER_SECOND * (seconds + 10) + 2 * served + possible);
    await expectSound(stage, "forged notifications");
    await expectVerified(stage);

    const late = await stage.makeKey({ credit: 1_000_000_000n });
    expect(await stage.ask({ gateway, key: late, model: "fast" })).toMatchObject({ status: 200 });
    await withClient(stage.cluster().url(), (client) =>
      client.query("update key set status = 'revoked', revoked_at = now(), version = version + 1 where id = $1", [
        late.id,
      ]),
    );
    await until(
      async () => (await stage.ask({ gateway, key: late, model: "fast" })).status === 401,
      "the revocation is heard",
    );
    expect(gateway.output()).not.toContain("invalid input syntax");
  });
});
