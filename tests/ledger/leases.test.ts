import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Database } from "../../src/db/database.ts";
import { namesOf } from "./commands.ts";
import { databaseTarget } from "./database-target.ts";
import { modelTarget } from "./drive.ts";
import { MODEL_AND_SERVER } from "./engines.ts";
import { createModel } from "./model.ts";
import { type LoneLedger, loneLedger } from "./lone-ledger.ts";

const START_MS = Date.UTC(2026, 0, 5, 12);
const DAY_MS = 86_400_000;
const LEASE_MS = 15_000;

let run = 0;

describe.each(MODEL_AND_SERVER)("leases on $name", ({ open, reason }) => {
  let database: Database | null;
  let close: () => Promise<void> = async () => undefined;
  let target: LoneLedger;
  let [keyId, east, west] = ["", "", ""];
  let asked = 0;

  beforeAll(async () => {
    if (reason === null) ({ database, close } = await open());
  });
  afterAll(() => close());
  beforeEach(async (context) => {
    context.skip(reason !== null, reason ?? "");
    run += 1;
    const names = namesOf(run);
    const startMs = START_MS + run * DAY_MS;
    // What an earlier example left is not this one's to sweep.
    await database?.script("delete from hold; delete from process");
    target = loneLedger(database ? await databaseTarget(database, startMs) : modelTarget(createModel({ startMs })));
    [keyId, east, west] = [names.keyId(0), names.processId(0), names.processId(1)];
    await target.createKey(keyId, "credit");
    await target.purchase(keyId, 1_000n);
  });

  /** Admits a request of a process and answers its id. */
  async function admit(processId: string, lifetimeMs = 300_000): Promise<string> {
    const id = namesOf(run).requestId((asked += 1));
    const ask = target.ask(keyId, { id, lifetimeMs });
    expect(await target.admit(processId, [ask])).toMatchObject([{ kind: "admitted" }]);
    return id;
  }
  const sweep = async (processId: string): Promise<string[]> =>
    (await target.sweep(processId, 10)).map(({ id }) => id).sort();

  /** Time passes, and these processes renew every five seconds of it. */
  async function live(ms: number, ...processIds: string[]): Promise<void> {
    for (let lived = 0; lived < ms; lived += 5_000) {
      for (const id of processIds) await target.heartbeat(id);
      await target.advance(Math.min(5_000, ms - lived));
    }
    for (const id of processIds) await target.heartbeat(id);
  }

  test("a process that was cut off keeps what it admits before it renews, and loses what it had [I6]", async () => {
    await live(20_000, east, west);
    const before = await admit(east);
    await live(18_000, west);
    expect(await sweep(west)).toEqual([before]);

    await admit(east);
    await target.advance(180);
    expect(await sweep(west)).toEqual([]);
    await live(4_000, west);
    await live(20_000, east, west);
    expect(await sweep(west)).toEqual([]);
  });

  test("a process that dies before its first renewal loses its holds when they are older than a lease [I6]", async () => {
    await live(20_000, west);
    const orphan = await admit(east);
    await live(LEASE_MS, west);
    expect(await sweep(west)).toEqual([]);
    await target.advance(1);

    expect(await sweep(west)).toEqual([orphan]);
  });

  test("a hold younger than a lease is swept all the same when its deadline is past", async () => {
    await live(20_000, east, west);
    const short = await admit(east, 5_000);
    await live(5_000, east, west);
    expect(await sweep(west)).toEqual([]);
    await target.advance(1);

    expect(await sweep(west)).toEqual([short]);
  });

  test("after a promotion everyone has a full lease to renew, however long the standby has been up [I6]", async () => {
    await live(20_000, east, west);
    const open = await admit(east);
    await live(12_000, west);
    await target.promote();
    await target.advance(4_000);
    expect(await sweep(west)).toEqual([]);
    for (let waitedMs = 0; waitedMs < LEASE_MS; waitedMs += 5_000) {
      await target.heartbeat(west);
      expect(await sweep(west)).toEqual([]);
      await target.advance(5_000);
    }
    await target.heartbeat(west);

    expect(await sweep(west)).toEqual([open]);
  });

  test("after a promotion in which no lease could be renewed for a minute, nobody who renews loses a hold [I6]", async () => {
    await live(20_000, east, west);
    await admit(east);
    await admit(west);
    await target.advance(60_000);
    await target.promote();
    await target.heartbeat(west);
    expect(await sweep(west)).toEqual([]);
    await target.advance(4_999);
    await target.heartbeat(east);
    expect([await sweep(west), await sweep(east)]).toEqual([[], []]);
    await live(20_000, east, west);

    expect([await sweep(west), await sweep(east)]).toEqual([[], []]);
  });

  test("who renewed just in time after an outage gives those who did not a full lease [I6]", async () => {
    await live(20_000, west, east);
    await admit(east);
    await target.advance(4_999);
    await target.heartbeat(west);
    await target.advance(10_002);
    await target.heartbeat(west);
    expect(await sweep(west)).toEqual([]);
    await target.advance(4_000);
    await target.heartbeat(east);
    await live(20_000, east, west);

    expect(await sweep(west)).toEqual([]);
  });
});
