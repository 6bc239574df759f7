import { afterAll, beforeAll, expect, test } from "vitest";
import { emptyDatabase } from "../tests/support/admin-app.ts";
import type { Database } from "../src/db/database.ts";
import { CLOSE, OVER, TEAMS } from "./organisation.ts";
import { createVerifyStore } from "../src/ledger/verify/verify-store.ts";
import { verify } from "../src/ledger/verify/verify.ts";
import { createDemo } from "./create-demo.ts";
import { openProviderCredentials } from "../src/app/catalogue/provider-credentials.ts";

/** Enough for a period to turn, whatever the date, and for steps of five minutes to be left out. */
const DAYS = 33;
const PATIENT_MS = 400_000;
const END_MS = Date.now();

async function seeded(seed: string, days: number): Promise<{ database: Database; requests: number }> {
  const database = await emptyDatabase();
  const { requests } = await createDemo({
    database,
    credentials: openProviderCredentials({ key: null, previousKey: null, directories: "", allowedReferences: "" }, {}),
    simulatorUrl: "http://127.0.0.1:9",
    credentialRef: "env:NOBODYS",
    by: { actor: "cli", via: "cli" },
    password: "a long enough password",
    seed,
    endMs: END_MS,
    days,
    tell: () => undefined,
  });
  return { database, requests };
}

let database: Database;
let requests: number;
beforeAll(async () => {
  ({ database, requests } = await seeded("test", DAYS));
}, PATIENT_MS);
afterAll(() => database?.close());

async function numbers(sql: string): Promise<Record<string, number>> {
  const [row] = await database.query<Record<string, bigint | number>>(sql);
  return Object.fromEntries(Object.entries(row ?? {}).map(([name, value]) => [name, Number(value)]));
}

test("the ledger of the demo verifies, with every amount computed again and every sum by the hour", async () => {
  const report = await verify(createVerifyStore(database), {
    keyId: null,
    recompute: true,
    onProgress: () => undefined,
  });

  expect(report.mismatches).toEqual([]);
  expect(report).toMatchObject({ ok: true, holds: 0 });
  expect(report.recomputed).toBeGreaterThan(10_000);
});

test("every charge has a record with the same amounts and counts, and the other way round", async () => {
  const { both, wrong, lone, kept } = await numbers(`
    select count(*) filter (where r.id = c.hold_id) as both, count(*) as kept,
           count(*) filter (where r.id = c.hold_id and (r.credits is distinct from c.credits or r.tokens is distinct from c.tokens or r.input <> c.input
                              or r.output <> c.output or r.held_credits is distinct from c.granted_credits)) as wrong,
           count(*) filter (where r.id is null or c.hold_id is null and (r.credits is not null or r.tokens is not null)) as lone
      from request r full join charge c on c.hold_id = r.id`);

  expect(both).toBeGreaterThan(10_000);
  expect({ wrong, lone, kept }).toEqual({ wrong: 0, lone: 0, kept: requests });
});

test("series and their totals add up to the records, in steps of an hour and of a day, and of five minutes for eight days", async () => {
  const sums = "sum(requests)::bigint as requests, sum(credits)::bigint as credits, sum(output)::bigint as output";
  const ofAll = "scope = '00000000-0000-0000-0000-000000000000'";
  const records = await numbers(
    "select sum(times)::bigint as requests, sum(credits)::bigint as credits, sum(output)::bigint as output from request",
  );
  for (const table of ["series", "series_total"])
    for (const grain of [60, 1_440])
      expect(await numbers(`select ${sums} from ${table} where ${ofAll} and grain = ${grain}`)).toEqual(records);

  const { days } = await numbers(
    "select extract(epoch from now() - min(start)) / 86400 as days from series where grain = 5",
  );
  expect(days).toBeGreaterThan(7.5);
  expect(days).toBeLessThan(10);
});

test("there is something for every page: codes, providers, agents, refunds, notices, refusals, an organisation of forty", async () => {
  const { codes, providers, agents, models, refunds, notices, audit, absorbed, keys, people } = await numbers(`
    select (select count(distinct code) from request) as codes, (select count(distinct provider) from request) as providers,
           (select count(distinct agent) from request) as agents, (select count(distinct model) from request) as models,
           (select count(*) from refund) as refunds, (select count(*) from notice) as notices, (select count(*) from audit) as audit,
           (select count(*) from house) as absorbed, (select count(*) from key) as keys,
           (select count(*) from person where account_id is not null) as people`);

  expect(TEAMS.flatMap((team) => team.people)).toHaveLength(40);
  expect({ providers, models }).toEqual({ providers: 5, models: 7 });
  expect([codes, agents, refunds, notices, audit, absorbed].map((count) => (count ?? 0) > 0)).toEqual(
    Array.from({ length: 6 }, () => true),
  );
  expect(codes).toBeGreaterThan(7);
  expect(agents).toBeGreaterThan(7);
  // Some of them join later than this test looks.
  expect(people).toBeGreaterThan(36);
  expect(keys).toBeGreaterThan(people ?? 0);
});

test("one person is close to the limit, and one is over it and was refused for it", async () => {
  const used = async (name: string): Promise<number> =>
    (
      await numbers(`select c.used * 100 / c.amount as percent from counter c join account a on a.id = c.account_id
                     where a.name = '${name}' and c.kind = 'limit'`)
    )["percent"] ?? 0;

  expect(await used(CLOSE)).toBeGreaterThanOrEqual(88);
  expect(await used(OVER)).toBeGreaterThanOrEqual(85);
});

test("the database's clock goes on as before, and nothing is in the future", async () => {
  const { late, ahead } = await numbers(`
    select abs(extract(epoch from ledger_now() - clock_timestamp())) as late,
           (select count(*) from charge where at > now()) + (select count(*) from audit where at > now()) as ahead`);

  expect(late).toBeLessThan(1);
  expect(ahead).toBe(0);
});

test(
  "the same seed makes the same traffic, and another seed other traffic",
  async () => {
    const spent = async (seed: string): Promise<unknown> => {
      const { database: other } = await seeded(seed, 3);
      const [row] = await other.query("select count(*) as charges, sum(credits)::text as credits from charge");
      await other.close();
      return row;
    };
    const [one, again, another] = [await spent("one"), await spent("one"), await spent("another")];

    expect(again).toEqual(one);
    expect(another).not.toEqual(one);
  },
  PATIENT_MS,
);
