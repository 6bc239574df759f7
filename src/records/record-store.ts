import { invariant } from "../core/invariant.ts";
import { sqlStateOf } from "../db/database-error.ts";
import { type Database, PREPARED } from "../db/database.ts";
import { OVERHEAD_BOUNDS_MS, TTFT_BOUNDS_MS } from "./histogram.ts";
import type { KeptDays, RecordStore } from "./start-records.ts";

const COLUMNS = `
  id uuid, times int, key_id uuid, accounts uuid[], route text, format text, model_asked text, model text, provider text, route_id uuid,
  status smallint, code text, outcome text, streamed boolean, replay boolean, authenticated_us int, read_us int, checked_us int,
  admitted_us int, dispatched_us int, first_byte_us int, last_byte_us int, settled_us int, closed_us int, provider_us int, attempts jsonb,
  input int, cached int, output int, reasoning int, held_credits bigint, held_tokens bigint, credits bigint, tokens bigint,
  price_version int, refusal text, client text, agent text, dropped text, bytes_out bigint`;
const NAMES = COLUMNS.replaceAll(/(\w+) [a-z]+(?:\[\])?(?=,|$)/g, "$1");

const KEY = "scope, grain, start, model, provider, code";
const SUMS = ["requests", "input", "cached", "output", "credits", "tokens", "spoken", "spoken_ms"];

/** Two lists of counts, added place by place. Written out: a function over both would take as long as all the rest of the row. */
function addedCounts(column: string, places: number): string {
  const sums = Array.from({ length: places }, (_, at) => `s.${column}[${at + 1}] + excluded.${column}[${at + 1}]`);
  return `${column} = case when excluded.${column} is null then s.${column} when s.${column} is null then excluded.${column} else array[${sums.join(", ")}] end`;
}

/**
 * Rows and sums in one statement. `$3` is one of the rows: where it is there already, this was written before and its answer was lost.
 * The sums are inserted in the order of their key, as every process does.
 */
const WRITE = `
  with earlier as materialized (select exists (select from request where id = $3::uuid) as found),
  written as (
    insert into request (${NAMES})
    select ${NAMES} from json_to_recordset($1::json) r(${COLUMNS}) where not (select found from earlier)
  )
  insert into series as s (${KEY}, ${SUMS.join(", ")}, ttft, overhead)
  select scope, grain, to_timestamp(start), model, provider, code, ${SUMS.join(", ")}, ttft, overhead
    from json_to_recordset($2::json) r(scope uuid, grain smallint, start bigint, model text, provider text, code text,
         ${SUMS.map((name) => `${name} bigint`).join(", ")}, ttft int[], overhead int[])
   where not (select found from earlier)
   order by scope, grain, start, model collate "C", provider collate "C", code collate "C"
  on conflict (${KEY}) do update set ${SUMS.map((name) => `${name} = s.${name} + excluded.${name}`).join(", ")},
    ${addedCounts("ttft", TTFT_BOUNDS_MS.length + 1)}, ${addedCounts("overhead", OVERHEAD_BOUNDS_MS.length + 1)}`;

/** Sums that are removed together at most, so that no removal holds anything up. */
const REMOVED_AT_ONCE = 5_000;
const DAYS_TIMEOUT_MS = 30_000;

const OLD_SERIES = `
  with old as (select ctid from series where grain = $1 and start < ledger_now() - make_interval(days => $2) limit ${REMOVED_AT_ONCE})
  delete from series where ctid = any (array(select ctid from old)) returning 1`;

export function createRecordStore(database: Pick<Database, "query" | "transaction">): RecordStore {
  return {
    write: async ({ rows, series }) => {
      const [first] = rows;
      invariant(first, "nothing is not written");
      try {
        await database.query(WRITE, [JSON.stringify(rows), JSON.stringify(series), first.id], PREPARED);
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
      const removed = await database.query(OLD_SERIES, [grain, days]);
      return removed.length === REMOVED_AT_ONCE;
    },
  };
}
