import { OVERHEAD_BOUNDS_MS, TTFT_BOUNDS_MS, type SeriesFilter, type SeriesGroup } from "../core/request/series.ts";
import type { Queryable } from "../db/database.ts";
import { EVERYTHING } from "./fold-series.ts";
import type { GroupRow, PointRow, ReadRange, SeriesStore, WholeRange } from "./read-series.ts";

const COUNTS = `
  sum(requests)::bigint as requests, sum(credits)::bigint as credits, sum(tokens)::bigint as tokens, sum(input)::bigint as input,
  sum(cached)::bigint as cached, sum(output)::bigint as output`;

/** Lists of counts, added place by place. */
function added(column: string, bounds: readonly number[]): string {
  const sums = Array.from({ length: bounds.length + 1 }, (_, at) => `sum(${column}[${at + 1}])::int`);
  return `case when count(${column}) > 0 then array[${sums.join(", ")}] end as ${column}`;
}

const WHOLE = `${COUNTS}, sum(spoken)::bigint as spoken, sum(spoken_ms)::bigint as "spokenMs",
  ${added("ttft", TTFT_BOUNDS_MS)}, ${added("overhead", OVERHEAD_BOUNDS_MS)}`;

type Table = "series" | "series_total";

/** What tells groups apart, and the smallest table that does. Accounts and keys have series of their own. */
const GROUP: Record<SeriesGroup, { id: string; table: Table }> = {
  model: { id: "model", table: "series" },
  provider: { id: "provider", table: "series" },
  code: { id: "code", table: "series_total" },
  account: { id: "scope", table: "series_total" },
  key: { id: "scope", table: "series_total" },
};

const isAll = ({ model, provider }: SeriesFilter): boolean => model === null && provider === null;

/** Sums over all models and providers do only where all are asked for. */
const tableFor = (table: Table, only: SeriesFilter): Table => (isAll(only) ? table : "series");

/** Of a table that has them. The last values of every query; absent where nothing is left out. */
const onlyOf = (only: SeriesFilter, place: number): string =>
  isAll(only)
    ? ""
    : `and ($${place}::text is null or model = $${place}::text) and ($${place + 1}::text is null or provider = $${place + 1}::text)`;

const valuesOfOnly = (only: SeriesFilter): unknown[] => (isAll(only) ? [] : [only.model, only.provider]);

const rangeOf = (table: Table): string =>
  `from ${table} where scope = any ($1::uuid[]) and grain = $2::smallint and start >= $3::timestamptz and start < $4::timestamptz`;

/**
 * Rows that are added up for each scope and piece of time, one after the other, as they are found by the key of the table: a plan for all at
 * once would sort them first.
 */
const piecesOf = (table: Table, { columns, group }: { columns: string; group: string }): string => `
  from unnest($1::uuid[]) asked (of) cross join unnest($2::smallint[], $3::timestamptz[], $4::timestamptz[]) piece (step, since, until)
 cross join lateral (
   select ${columns} from ${table} where scope = asked.of and grain = piece.step and start >= piece.since and start < piece.until ${group}
 ) r`;

/** The accounts next below these, and the keys that are below them. What a key does that was moved away is for others to see. */
const MEMBERS = {
  account: {
    all: "select id from account where parent_id is null and not lone",
    below: "select id from account where parent_id = any ($1::uuid[]) and not lone",
  },
  key: {
    all: "select id from key",
    below:
      "select k.id from key k join account a on a.id = k.account_id where a.path && $1::uuid[] or k.id = any ($1::uuid[])",
  },
};

const NAMES = {
  account: "select id, name from account where id = any ($1::uuid[])",
  key: `
    select id, coalesce(nullif(label, ''), (select prefix from key_secret where key_id = key.id order by created_at desc limit 1)) as name
      from key where id = any ($1::uuid[])`,
};

const valuesOf = ({ of, stepMinutes, fromMs, toMs }: ReadRange): unknown[] => [
  of ?? [EVERYTHING],
  stepMinutes,
  new Date(fromMs),
  new Date(toMs),
];

const valuesOfPieces = ({ of, pieces }: WholeRange): unknown[] => [
  of ?? [EVERYTHING],
  pieces.map(({ stepMinutes }) => stepMinutes),
  pieces.map(({ fromMs }) => new Date(fromMs)),
  pieces.map(({ toMs }) => new Date(toMs)),
];

const AS_THEY_ARE = `requests, credits, tokens, input, cached, output, spoken, spoken_ms as "spokenMs", ttft, overhead`;

export const createSeriesStore = (queryable: Queryable): SeriesStore => ({
  points: (range) => {
    const { only } = range;
    const several = (range.of?.length ?? 1) > 1 || !isAll(only);
    const rows = `${rangeOf(tableFor("series_total", only))} ${onlyOf(only, 5)}`;
    return queryable.query<PointRow>(
      `select start, code, ${several ? WHOLE : AS_THEY_ARE} ${rows} ${several ? "group by start, code" : ""} order by start, code`,
      [...valuesOf(range), ...valuesOfOnly(only)],
    );
  },

  members: async (of, by) => {
    const sql = MEMBERS[by][of === null ? "all" : "below"];
    const rows = await queryable.query<{ id: string }>(sql, of === null ? [] : [of]);
    return rows.map(({ id }) => id);
  },

  rank: async (range, { by, top }) => {
    const { id, table } = GROUP[by];
    const { only } = range;
    const sums = {
      columns: `${id} as id, sum(credits) as credits, sum(requests) as requests`,
      group: `${onlyOf(only, 6)} group by ${id}`,
    };
    const sql = `
      select r.id::text as id ${piecesOf(tableFor(table, only), sums)} group by r.id order by sum(r.credits) desc, sum(r.requests) desc, 1 limit $5::int`;
    const rows = await queryable.query<{ id: string }>(sql, [...valuesOfPieces(range), top, ...valuesOfOnly(only)]);
    return rows.map((row) => row.id);
  },

  groups: (range, { by, ids }) => {
    const { id, table } = GROUP[by];
    const { only } = range;
    const sums = {
      columns: `${id}::text as id, code, ${WHOLE}`,
      group: `and ${id}::text = any ($5::text[]) ${onlyOf(only, 6)} group by ${id}, code`,
    };
    return queryable.query<GroupRow>(`select r.* ${piecesOf(tableFor(table, only), sums)}`, [
      ...valuesOfPieces(range),
      ids,
      ...valuesOfOnly(only),
    ]);
  },

  groupPoints: (range, { by, ids }) => {
    const { id, table } = GROUP[by];
    const { only } = range;
    const rows = `${rangeOf(tableFor(table, only))} and ${id}::text = any ($5::text[]) ${onlyOf(only, 6)}`;
    const sql = `select ${id}::text as id, start, ${COUNTS} ${rows} group by ${id}, start`;
    return queryable.query(sql, [...valuesOf(range), ids, ...valuesOfOnly(only)]);
  },

  names: async (by, ids) => {
    const rows = await queryable.query<{ id: string; name: string | null }>(NAMES[by], [ids]);
    return new Map(rows.map(({ id, name }) => [id, name]));
  },
});
