import type { Queryable } from "../database.ts";
import type { Standing } from "./server-line.ts";

type Row = {
  identifier: bigint;
  timeline: number;
  bookedIdentifier: bigint | null;
  bookedTimeline: number | null;
  mark: string | null;
  supersededBy: number | null;
};

/** As `server_now()` says it, in words that any role may use and that need no migration. */
const SERVER = `select system_identifier as identifier,
  ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int as timeline from pg_control_system()`;

const BOOKED = `select s.identifier, s.timeline, l.identifier as "bookedIdentifier", l.timeline as "bookedTimeline", l.mark,
  l.superseded_by as "supersededBy" from (${SERVER}) s left join server_line l on true`;

/** Whether this database has the table that keeps the line. A role that may not read it may move no money either. */
export const IS_BOOKED = "coalesce(has_table_privilege(to_regclass('server_line'), 'select'), false)";

/** Which server this is; it must not be a standby. */
export async function readStanding(query: Queryable["query"], isBooked: boolean): Promise<Standing> {
  const [row] = await query<Row>(isBooked ? BOOKED : SERVER);
  if (!row) throw new Error("a server says which it is");
  const { identifier, timeline } = row;
  if (!isBooked) return { identifier, timeline, booked: null };
  const { bookedIdentifier, bookedTimeline, mark, supersededBy } = row;
  return {
    identifier,
    timeline,
    booked: { identifier: bookedIdentifier, timeline: bookedTimeline, mark, supersededBy },
  };
}

/** Gives the timeline of this server its mark, unless somebody has; answers the mark. */
export async function enterLine(query: Queryable["query"]): Promise<string> {
  const [row] = await query<{ mark: string }>("select enter_line_v1() as mark");
  if (!row) throw new Error("a line has a mark");
  return row.mark;
}

/** Makes this server the one that has the books, whatever they remember. */
export async function adoptLine(query: Queryable["query"]): Promise<void> {
  await query("select adopt_line_v1()");
}

export const SUPERSEDE = "select supersede_line_v1($1, $2)";
