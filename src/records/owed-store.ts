import { OVERHEAD_BOUNDS_MS, TTFT_BOUNDS_MS } from "../core/request/series.ts";
import { sqlStateOf } from "../db/database-error.ts";
import { type Database, PREPARED, type Queryable } from "../db/database.ts";
import { findLeft, refoldSeries } from "./left-store.ts";
import type { SeriesRow } from "./fold-series.ts";
import { foldTotals } from "./fold-totals.ts";
import type { OwedStore } from "./owed-series.ts";

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
   where (select found from owed)
   order by scope, grain, start, ${words.map((name) => `${name} collate "C"`).join(", ")}
  on conflict (${key}) do update set ${SUMS.map((name) => `${name} = s.${name} + excluded.${name}`).join(", ")},
    ${addedCounts("ttft", TTFT_BOUNDS_MS.length + 1)}, ${addedCounts("overhead", OVERHEAD_BOUNDS_MS.length + 1)}`;
}

/** Adds sums, and that they are owed no longer. Where not all of `$1` are owed, somebody has added some of them: it adds nothing, and says so. */
const ADD = `
  with locked as materialized (select from series_owed where batch = any ($1::uuid[]) for update),
  owed as materialized (select count(*) = cardinality($1::uuid[]) as found from locked),
  settled as (delete from series_owed where batch = any ($1::uuid[]) and (select found from owed)),
  sums as (${added("series", "$2")}),
  totals as (${added("series_total", "$3")})
  select found from owed`;

async function add(queryable: Queryable, batches: readonly string[], rows: readonly SeriesRow[]): Promise<boolean> {
  const sums = [JSON.stringify(rows), JSON.stringify(foldTotals(rows))];
  const [owed] = await queryable.query<{ found: boolean }>(ADD, [batches, ...sums], PREPARED);
  return owed?.found === true;
}

const FORGIVEN = "delete from series_owed where batch = any ($1::uuid[])";

/** A value that a table does not take will not be taken next time. Anything else may pass. */
export const isRefused = (error: unknown): boolean => /^(?:22|23514)/.test(sqlStateOf(error) ?? "");

export function createOwedStore(database: Pick<Database, "query" | "transaction">): OwedStore {
  return {
    add: async (batches, series) => {
      const pieces = series[Symbol.iterator]();
      const first = pieces.next();
      const second = pieces.next();
      try {
        if (second.done) return (await add(database, batches, first.value ?? [])) ? "added" : "elsewhere";
        return await database.transaction(async (tx) => {
          if (!(await add(tx, batches, first.value ?? []))) return "elsewhere";
          // Each piece is put together when the one before is written, so that other work gets its turn between them.
          for (let piece: IteratorResult<SeriesRow[]> = second; !piece.done; piece = pieces.next())
            await add(tx, [], piece.value);
          return "added";
        });
      } catch (error) {
        if (!isRefused(error)) throw error;
        await database.query(FORGIVEN, [batches]);
        return "refused";
      }
    },

    adopt: async () => {
      let left: string | null = null;
      try {
        return await database.transaction(async (tx) => {
          const owed = await findLeft(tx);
          if (owed === null) return "none";
          left = owed.batch;
          for (const rows of await refoldSeries(tx, owed)) await add(tx, [], rows);
          await tx.query(FORGIVEN, [[left]]);
          return "added";
        });
      } catch (error) {
        if (left === null || !isRefused(error)) throw error;
        await database.query(FORGIVEN, [[left]]);
        return "refused";
      }
    },
  };
}
