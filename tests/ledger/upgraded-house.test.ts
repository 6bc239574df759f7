import { expect, onTestFinished, test } from "vitest";
import { createId } from "../../src/core/ids.ts";
import { NO_USAGE } from "../../src/core/usage.ts";
import { migrationsFolder } from "../../src/db/migrate.ts";
import { readMigrations } from "../../src/db/migration-files.ts";
import { createPglite } from "../../src/db/pglite.ts";
import { createLedgerStore } from "../../src/ledger/ledger-store.ts";
import { NOTHING_BORNE } from "../support/nothing-borne.ts";

/** The first migration by which what the house bears has a unit. */
const WITH_UNITS = 22;

test("what the house bore before has its unit after an upgrade, and earlier voids stand there [MON-35]", async () => {
  const database = await createPglite({ dataFolder: null });
  onTestFinished(() => database.close());
  const migrations = await readMigrations(migrationsFolder());
  const run = async (from: number, to?: number): Promise<void> => {
    for (const { sql } of migrations.slice(from, to)) await database.script(sql);
  };
  await run(0, WITH_UNITS - 1);
  const ledger = createLedgerStore(database);
  const [credit, tokens, processId] = [createId(Date.now()), createId(Date.now()), createId(Date.now())];
  await database.query("insert into key (id, bucket, mode) values ($1, 7, 'credit'), ($2, 8, 'token_budget')", [
    credit,
    tokens,
  ]);
  const purchase = { reference: "p", kind: "purchase", amount: 100n, about: null, actor: "test" } as const;
  await ledger.fund({ keyId: credit, ...purchase });
  await ledger.setBudget({ keyId: tokens, reference: "b", budget: 100n, period: "day", actor: "test" });
  const bears = async (keyId: string, absorbed: bigint): Promise<string> => {
    const id = createId(Date.now());
    const terms = {
      bucket: 7,
      keyVersion: 1,
      rpmLimit: null,
      least: 9n,
      most: 9n,
      unlimited: false,
      model: "m",
      priceVersion: 1,
    };
    await ledger.admit(processId, [{ id, keyId, ...terms, lifetimeMs: 300_000, claim: null }]);
    const end = { outcome: "client_gone", charge: 7n, usage: NO_USAGE, contentDelivered: false } as const;
    await ledger.settle([{ id, keyId, ...end, record: null, answer: null, bucket: 7, ...NOTHING_BORNE, absorbed }]);
    return id;
  };
  for (const [keyId, absorbed] of [
    [credit, 3n],
    [tokens, 4n],
  ] as const) {
    const id = await bears(keyId, absorbed);
    await ledger.void([{ id, keyId, bucket: 7, contentDelivered: false }]);
  }

  await run(WITH_UNITS - 1);

  expect(await database.query("select unit, kind, amount from house order by unit, kind")).toEqual([
    { unit: "credit", kind: "voided", amount: 7n },
    { unit: "credit", kind: "write_off", amount: 3n },
    { unit: "tokens", kind: "voided", amount: 7n },
    { unit: "tokens", kind: "write_off", amount: 4n },
  ]);
});
