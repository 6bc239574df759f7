import { invariant } from "../core/invariant.ts";
import { OVERHEAD_BOUNDS_MS, TTFT_BOUNDS_MS } from "../core/series.ts";
import { sqlStateOf } from "../db/database-error.ts";
import { type Database, PREPARED } from "../db/database.ts";
import { foldTotals } from "./fold-totals.ts";
import type { KeptDays, RecordStore } from "./start-records.ts";

const COLUMNS = `
  id uuid, times int, key_id uuid, accounts uuid[], route text, format text, model_asked text, model text, provider text, route_id uuid,
  status smallint, code text, outcome text, streamed boolean, replay boolean, authenticated_us int, read_us int, checked_us int,
  admitted_us int, dispatched_us int, first_byte_us int, last_byte_us int, settled_us int, closed_us int, provider_us int, attempts jsonb,
  input int, cached int, output int, reasoning int, held_credits bigint, held_tokens bigint, credits bigint, tokens bigint,
  price_version int, refusal text, client text, agent text, dropped text, bytes_out bigint`;
const NAMES = COLUMNS.replaceAll(/(\w+) [a-z]+(?:\[\])?(?=,|$)/g, "$1");

const SUMS = ["requests", "input", "cached", "output", "credits", "tokens", "spoken", "spoken_ms"];
/** What tells rows of the two tables of sums apart, beside scope, grain and start. */
const WORDS = { series: ["model", "provider", "code"], series_total: ["code"] };

/** Two lists of counts, added place by place. Written out: a function over both would take as long as all the rest of the row. */
function addedCounts(column: string, places: number): string {
  const sums = Array.from({ length: places }, (_, at) => `s.${column}[${at + 1}] + excluded.${column}[${at + 1}]`);
  return `${column} = case when excluded.${column} is null then s.${column} when s.${column} is null then excluded.${column} else array[${sums.join(", ")}] end`;
}

/** Sums are inserted in the order of their key, as every process does. */
function added(table: keyof typeof WORDS, json: string): string {
  const words = WORDS[table];
  const key = ["scope", "grain", "start", ...words].join(", ");
  return `
  insert into ${table} as s (${key}, ${SUMS.join(", ")}, ttft, overhead)
  select scope, grain, to_timestamp(start), ${words.join(", ")}, ${SUMS.join(", ")}, ttft, overhead
    from json_to_recordset(${json}::json) r(scope uuid, grain smallint, start bigint, ${words.map((name) => `${name} text`).join(", ")},
         ${SUMS.map((name) => `${name} bigint`).join(", ")}, ttft int[], overhead int[])
   where not (select found from earlier)
   order by scope, grain, start, ${words.map((name) => `${name} collate "C"`).join(", ")}
  on conflict (${key}) do update set ${SUMS.map((name) => `${name} = s.${name} + excluded.${name}`).join(", ")},
    ${addedCounts("ttft", TTFT_BOUNDS_MS.length + 1)}, ${addedCounts("overhead", OVERHEAD_BOUNDS_MS.length + 1)}`;
}

/** Rows and sums in one statement. `$3` is one of the rows: where it is there already, this was written before and its answer was lost. */
const WRITE = `
  with earlier as materialized (select exists (select from request where id = $3::uuid) as found),
  written as (
    insert into request (${NAMES})
    select ${NAMES} from json_to_recordset($1::json) r(${COLUMNS}) where not (select found from earlier)
  ), totals as (${added("series_total", "$4")})
  ${added("series", "$2")}`;

/** Sums that are removed together at most, so that no removal holds anything up. */
const REMOVED_AT_ONCE = 5_000;
const DAYS_TIMEOUT_MS = 30_000;

const removed = (table: keyof typeof WORDS): string => `
  with old as (select ctid from ${table} where grain = $1 and start < ledger_now() - make_interval(days => $2) limit ${REMOVED_AT_ONCE})
  delete from ${table} where ctid = any (array(select ctid from old)) returning 1`;
const REMOVED = [removed("series"), removed("series_total")];

export function createRecordStore(database: Pick<Database, "query" | "transaction">): RecordStore {
  return {
    write: async ({ rows, series }) => {
      const [first] = rows;
      invariant(first, "nothing is not written");
      try {
        const sums = [JSON.stringify(series), first.id, JSON.stringify(foldTotals(series))];
        await database.query(WRITE, [JSON.stringify(rows), ...sums], PREPARED);
        return "written";
      } catch (error) {
        // A value that the table does not take will not be taken next time. Anything else may pass.
        if (/^(?:22|23514)/.test(sqlStateOf(error) ?? "")) return "refused";
        throw error;
      }
    },

    keepDays: (days) =>
      database.transaction(async (tx) => {
        const taken = await tx.query("select from duty where name = 'records' for update skip locked");
        if (taken.length === 0) return null;
        await tx.script(`set local statement_timeout = ${DAYS_TIMEOUT_MS}`);
        const [kept] = await tx.query<KeptDays>("select made, removed from request_days_v1($1)", [days]);
        return kept ?? null;
      }),

    removeSeries: async ({ grain, days }) => {
      let more = false;
      for (const sql of REMOVED) more = (await database.query(sql, [grain, days])).length === REMOVED_AT_ONCE || more;
      return more;
    },
  };
}
