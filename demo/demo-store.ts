import type { Database } from "../src/db/database.ts";
import { readFunctions, schemaFolder } from "../src/db/schema-files.ts";
import type { BookKey } from "./books.ts";

/** What the seeding does to the database beside what operators and the gateway do. */
export type DemoStore = {
  /** From here on the ledger takes what it is told for the present, until its clock is given back. */
  takeClock: () => Promise<void>;
  setClock: (nowMs: number) => Promise<void>;
  giveClockBack: () => Promise<void>;
  /** Gives the day that begins then its partition of the journal. */
  prepareDay: (dayMs: number) => Promise<void>;
  /** All keys with their counters. */
  openBooks: () => Promise<BookKey[]>;
  routeIds: () => Promise<ReadonlyMap<string, string>>;
  /** The price that holds today, where another held before. */
  addPrice: (price: { model: string; fromMs: number; inputNano: bigint; outputNano: bigint }) => Promise<void>;
  /** Gives what operators have just made the date of the clock. */
  dateBack: () => Promise<void>;
  /** Adds up what follows from the charges, and makes everything as old as it says. */
  finish: (fromMs: number) => Promise<void>;
};

/**
 * The clock of the ledger reads it while the demo is made, in milliseconds. A function that changed with every step would be planned anew each
 * time, and a table would grow.
 */
const CLOCK = `
  create sequence demo_clock;
  create or replace function ledger_now() returns timestamptz language sql volatile as
    'select timestamptz ''epoch'' + last_value * interval ''1 millisecond'' from demo_clock'`;

const BOOKS = `
  select b.key_id as "keyId", b.bucket::int as bucket, b.version, b.chain, b.counters, coalesce(k.label, '') as label,
         case when a.lone then '{}' else a.path end as accounts,
         (select jsonb_agg(jsonb_build_object('kind', c.kind, 'unit', c.unit, 'posted', c.posted::text, 'holder', h.name) order by c.id)
            from counter_anywhere c left join account h on h.id = c.account_id
           where c.closed_at is null and (c.id = b.counter or c.id = any (b.counters))) as in_all
    from balance b join key k on k.id = b.key_id join account a on a.id = k.account_id order by b.key_no`;

/** Charges added up by the hour and the day, as the keeper of the sums does. */
export const ADDED_UP = `
  insert into usage_rollup
  select date_trunc('hour', at, 'UTC'), chain, coalesce(model, 0), kind, count(*), coalesce(sum(credits), 0)::bigint, coalesce(sum(tokens), 0)::bigint,
         sum(input)::bigint, coalesce(sum(cache_read), 0)::bigint, coalesce(sum(cache_write), 0)::bigint, sum(output)::bigint,
         coalesce(sum(reasoning), 0)::bigint
    from charge group by 1, 2, 3, 4;
  insert into usage_day
  select date_trunc('day', hour, 'UTC'), chain, model, kind, sum(requests), sum(credits), sum(tokens), sum(input), sum(cache_read),
         sum(cache_write), sum(output), sum(reasoning)
    from usage_rollup where hour < date_trunc('day', now(), 'UTC') group by 1, 2, 3, 4`;

/** What was made a moment ago was made at the moment that the clock shows. */
const DATED = `
  update account set created_at = ledger_now() where created_at > ledger_now() + interval '1 minute';
  update key set created_at = ledger_now() where created_at > ledger_now() + interval '1 minute';
  update model set created_at = ledger_now() where created_at > ledger_now() + interval '1 minute';
  update provider set created_at = ledger_now() where created_at > ledger_now() + interval '1 minute';
  update key_secret set created_at = ledger_now() where created_at > ledger_now() + interval '1 minute'`;

export function createDemoStore(database: Pick<Database, "query" | "script">): DemoStore {
  return {
    takeClock: () => database.script(CLOCK),
    setClock: async (nowMs) => {
      await database.query("select setval('demo_clock', $1)", [nowMs]);
    },
    giveClockBack: async () => {
      const clock = (await readFunctions(schemaFolder())).find(({ name }) => name === "ledger_now");
      await database.script(`${clock?.sql ?? ""}\ndrop sequence demo_clock`);
    },
    prepareDay: async (dayMs) => {
      await database.query("select partition_v1($1::date)", [new Date(dayMs).toISOString().slice(0, 10)]);
    },
    openBooks: async () => (await database.query<BookRow>(BOOKS)).map(keyOf),
    routeIds: async () => {
      type Row = { id: string; model: string; provider: string; dialect: string };
      const rows = await database.query<Row>(`select id, model_id as model, provider, dialect from route`);
      return new Map(rows.map(({ id, model, provider, dialect }) => [`${model} ${provider} ${dialect}`, id]));
    },
    addPrice: async ({ model, fromMs, inputNano, outputNano }) => {
      await database.query(
        `insert into price (model_id, version, effective_from, input_nano, output_nano, cache_read_nano, cache_write_5m_nano, cache_write_1h_nano)
         values ($1, 2, $2, $3::bigint, $4, $3::bigint / 10, $3::bigint * 5 / 4, $3::bigint * 2)`,
        [model, new Date(fromMs), inputNano, outputNano],
      );
    },
    dateBack: () => database.script(DATED),
    finish: async (fromMs) => {
      await database.script(ADDED_UP);
      // The books are as old as what is in them, so that a verification looks at all of it.
      await database.query("update migration set applied_at = $1", [new Date(fromMs)]);
      await database.script("analyze series, series_total, usage_rollup, usage_day");
    },
  };
}

type CounterRow = Omit<BookKey["counters"][number], "posted"> & { posted: string };
type BookRow = Omit<BookKey, "version" | "chain" | "counters"> & {
  version: bigint;
  chain: number;
  counters: number[] | null;
  in_all: CounterRow[] | null;
};

const keyOf = ({ version, chain, counters, in_all: all, ...row }: BookRow): BookKey => ({
  ...row,
  version: Number(version),
  chain: { id: chain, counters: counters ?? [] },
  counters: (all ?? []).map((counter) => ({ ...counter, posted: BigInt(counter.posted) })),
});
