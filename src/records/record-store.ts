import { type Database, PREPARED } from "../db/database.ts";
import { createOwedStore, isRefused } from "./owed-store.ts";
import type { KeptDays, RecordStore } from "./start-records.ts";

const COLUMNS = `
  id uuid, times int, key_id uuid, accounts uuid[], route text, format text, model_asked text, model text, provider text, route_id uuid,
  status smallint, code text, outcome text, streamed boolean, replay boolean, authenticated_us int, read_us int, checked_us int,
  admitted_us int, dispatched_us int, first_byte_us int, last_byte_us int, settled_us int, closed_us int, provider_us int, attempts jsonb,
  input int, cached int, output int, reasoning int, held_credits bigint, held_tokens bigint, credits bigint, tokens bigint,
  price_version int, refusal text, client text, agent text, dropped text, bytes_out bigint,
  trace_id uuid, region text`;
const NAMES = COLUMNS.replaceAll(/(\w+) [a-z]+(?:\[\])?(?=,|$)/g, "$1");

/**
 * Rows, and that their sums are owed, in one statement. `$3` is the first of the rows: where it is there already, this was written before
 * and its answer was lost.
 */
const WRITE = `
  with earlier as materialized (select exists (select from request where id = $3::uuid) as found),
  owed as (insert into series_owed (batch, requests) select $3::uuid, $2::uuid[] where not (select found from earlier))
  insert into request (${NAMES})
  select ${NAMES} from json_to_recordset($1::json) r(${COLUMNS}) where not (select found from earlier)`;

/** Sums that are removed together at most, so that no removal holds anything up. */
const REMOVED_AT_ONCE = 5_000;
const DAYS_TIMEOUT_MS = 30_000;

const removed = (table: "series" | "series_total"): string => `
  with old as (select ctid from ${table} where grain = $1 and start < ledger_now() - make_interval(days => $2) limit ${REMOVED_AT_ONCE})
  delete from ${table} where ctid = any (array(select ctid from old)) returning 1`;
const REMOVED = [removed("series"), removed("series_total")];

export function createRecordStore(database: Pick<Database, "query" | "transaction">): RecordStore {
  return {
    ...createOwedStore(database),

    write: async ({ name, ids, rows }) => {
      try {
        await database.query(WRITE, [rows, ids, name], PREPARED);
        return "written";
      } catch (error) {
        if (isRefused(error)) return "refused";
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
