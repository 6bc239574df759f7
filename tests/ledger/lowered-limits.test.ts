import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Database } from "../../src/db/database.ts";
import type { Ask } from "../../src/ledger/ledger.ts";
import { namesOf } from "./commands.ts";
import { databaseTarget } from "./database-target.ts";
import { modelTarget } from "./drive.ts";
import { MODEL_AND_SERVER } from "./engines.ts";
import { type LoneLedger, loneLedger } from "./lone-ledger.ts";
import { createModel } from "./model.ts";

const START_MS = Date.UTC(2026, 0, 5, 12);

describe.each(MODEL_AND_SERVER)("$name", ({ open, reason }) => {
  const names = namesOf(1);
  const tokens = names.keyId(1);
  let database: Database | null;
  let close: () => Promise<void> = async () => undefined;
  let target: LoneLedger;
  let asked = 0;

  beforeAll(async () => {
    if (reason === null) ({ database, close } = await open());
  });
  afterAll(() => close());
  beforeEach(async (context) => {
    context.skip(reason !== null, reason ?? "");
    target = loneLedger(
      database ? await databaseTarget(database, START_MS) : modelTarget(createModel({ startMs: START_MS })),
    );
    await target.createKey(tokens, "tokens");
    await target.heartbeat(names.processId(0));
    await target.setLimit({ keyId: tokens, reference: "b", amount: 100n, period: "day" });
  });

  const admit = (...asks: Ask[]) => target.admit(names.processId(0), asks);

  test("what a limit that was cut below its holds cannot give when they end is refused for good, and the rest for a moment [I8] [MON-15] [MON-17] [MON-49]", async () => {
    let changes = 0;
    const cut = (amount: bigint) =>
      target.setLimit({ keyId: tokens, reference: `change ${++changes}`, amount, period: "day" });
    const of = (least: bigint): Ask => target.ask(tokens, { id: names.requestId(++asked), least, most: least });
    const [spent, open] = [of(20n), of(50n)];
    await admit(spent, open);
    await target.settle([{ of: spent, price: 20n }]);

    // 50 are held of 60, of which 20 are used: if nothing is charged for them, 40 are left.
    await cut(60n);
    expect(await admit(of(45n), of(40n))).toMatchObject([
      { kind: "insufficient", posted: 40n, available: 0n },
      { kind: "reserved", posted: 40n, available: 0n },
    ]);
    await cut(10n);
    expect(await admit(of(1n))).toMatchObject([{ kind: "limit_reached", posted: 0n, available: 0n }]);
    await target.void([open]);
    expect(await admit(of(1n))).toMatchObject([{ kind: "limit_reached", posted: 0n, available: 0n }]);
    await cut(60n);
    expect(await admit(of(45n), of(40n))).toMatchObject([{ kind: "insufficient", posted: 40n }, { kind: "admitted" }]);
  });
});
