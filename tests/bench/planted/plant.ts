import { Client } from "pg";
import { GRAINS } from "../../../src/records/request-groups.ts";
import { plantBooks } from "./books.ts";
import { CHARGES, DRAW, requestsInto, ROWS } from "./day-sql.ts";
import { coarser, seriesOf, sumsOf, totalsOf } from "./series-sql.ts";
import { plantStructure } from "./structure.ts";

export type PlantOptions = {
  url: string;
  records: number;
  charges: number;
  /** How many days they are spread over, this one included. */
  days?: number;
  tell?: (line: string) => void;
};

type Day = { name: string; fromMs: number; lengthMs: number; first: number; count: number };

const DAY_MS = 86_400_000;
/** Of what is planted nothing is still under way. */
const AGO_MS = 120_000;
/** Steps of five minutes are kept for so long. */
const FINE_DAYS = 8;
const LANES = 2;
const SETTINGS = `set synchronous_commit = off; set work_mem = '256MB'; set maintenance_work_mem = '512MB'; set jit = off;
  set max_parallel_workers_per_gather = 0; set max_parallel_maintenance_workers = 0; set timezone = 'UTC'`;

/**
 * Fills an empty, migrated database with requests, their series, the charges of some, and everything that agrees with them. Accounts, keys
 * and counters are made by the ledger's functions; the mass is computed in the database, a day at a time.
 */
export async function plant({
  url,
  records,
  charges,
  days: spread = 30,
  tell = () => undefined,
}: PlantOptions): Promise<void> {
  const nowMs = Date.now() - AGO_MS;
  const days = daysOf({ nowMs, records, spread });
  const client = await connect(url);
  try {
    const { rows } = await client.query<{ found: boolean }>(
      "select exists (select from request) or exists (select from charge) as found",
    );
    if (rows[0]?.found === true) throw new Error("this database has requests already: plant into one that has none");
    await client.query("begin");
    await plantStructure(client);
    await client.query("commit");
    tell("accounts, keys, counters and models");
    await client.query("alter table series drop constraint series_pkey");
    await client.query("alter table series_total drop constraint series_total_pkey");
    for (const startMs of partitionsOf(days)) await client.query("select partition_v1($1)", [dateOf(startMs)]);
    const waiting = [...days];
    await Promise.all(
      Array.from({ length: LANES }, async () => {
        const lane = await connect(url);
        try {
          for (let day = waiting.shift(); day !== undefined; day = waiting.shift()) {
            await plantDay(lane, day, { records, charges, nowMs });
            tell(`${day.name}: ${day.count} requests`);
          }
        } finally {
          await lane.end();
        }
      }),
    );
    for (const { name, fromMs } of days)
      await client.query(
        `alter table request attach partition ${name} for values from ('${floorOf(fromMs)}') to ('${floorOf(fromMs + DAY_MS)}')`,
      );
    await client.query("alter table series add primary key (scope, grain, start, model, provider, code)");
    await client.query("alter table series_total add primary key (scope, grain, start, code)");
    tell("series");
    await plantBooks(client, { records, tell });
    await client.query("drop table planted_slot, planted_model");
    await tidy(client);
    tell("statistics");
  } finally {
    await client.end();
  }
}

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(SETTINGS);
  return client;
}

/** Each day has its share of the requests; the present one as much as there is of it. */
function daysOf({ nowMs, records, spread }: { nowMs: number; records: number; spread: number }): Day[] {
  const todayMs = nowMs - (nowMs % DAY_MS);
  const startMs = todayMs - (spread - 1) * DAY_MS;
  const upTo = (ms: number): number => Math.round((records * (ms - startMs)) / (nowMs - startMs));
  return Array.from({ length: spread }, (_, place) => {
    const fromMs = startMs + place * DAY_MS;
    const endMs = Math.min(nowMs, fromMs + DAY_MS);
    const name = `request_${dateOf(fromMs).replaceAll("-", "")}`;
    return { name, fromMs, lengthMs: endMs - fromMs, first: upTo(fromMs), count: upTo(endMs) - upTo(fromMs) };
  });
}

async function plantDay(
  client: Client,
  { name, fromMs, lengthMs, first, count }: Day,
  { records, charges, nowMs }: { records: number; charges: number; nowMs: number },
): Promise<void> {
  await client.query(ROWS);
  await client.query(DRAW, [fromMs, lengthMs, first, count, charges, records]);
  await client.query(`create table ${name} (like request including defaults including constraints)`);
  await client.query(requestsInto(name));
  await client.query(`alter table ${name} add primary key (id)`);
  await client.query(
    `create index on ${name} using gin ((accounts || key_id), (array[model, provider, code, agent, status::text]))`,
  );
  await client.query(CHARGES);
  const fineFromMs = nowMs - FINE_DAYS * DAY_MS;
  const grains = fromMs + DAY_MS > fineFromMs ? GRAINS : GRAINS.slice(1);
  for (const [place, grain] of grains.entries()) {
    await client.query(place === 0 ? sumsOf(grain) : coarser(grain));
    const kept = [new Date(grain === GRAINS[0] ? fineFromMs : 0)];
    await client.query(seriesOf(grain), kept);
    await client.query(totalsOf(grain), kept);
  }
}

/** As autovacuum would have done by now: of each partition, and of no table that has partitions. */
async function tidy(client: Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    "select oid::regclass::text as name from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace",
  );
  for (const { name } of rows) await client.query(`vacuum (analyze) ${name}`);
  const [own] = (await client.query<{ may: boolean }>("select current_setting('is_superuser') = 'on' as may")).rows;
  if (own?.may === true) await client.query("checkpoint");
}

/** Of the days that are planted, whatever day it is by the database's clock, and of those that a running gateway makes ahead. */
const partitionsOf = (days: readonly Pick<Day, "fromMs">[]): number[] => {
  const first = days[0]?.fromMs ?? 0;
  return Array.from({ length: days.length + 3 }, (_, place) => first + place * DAY_MS);
};

const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
const floorOf = (ms: number): string => ms.toString(16).padStart(12, "0").padEnd(32, "0");
