import type { LedgerTrouble } from "../core/ledger-state.ts";
import type { Queryable } from "./database.ts";

type Row = { standby: bigint; blocked: bigint; blockers: string | null; inRecovery: boolean };

/** Sessions of our own role alone: those of others show what they do to those who may see it. */
const WAITING = `
  with ours as (
    select pid, wait_event_type, wait_event from pg_stat_activity
     where datname = current_database() and usename = current_user and pid <> pg_backend_pid()
  ), blocked as (
    select pid, pg_blocking_pids(pid) as by from ours where wait_event_type = 'Lock'
  )
  select (select count(*) from ours where wait_event = 'SyncRep') as standby,
         (select count(*) from blocked) as blocked,
         (select string_agg(distinct format('%s (%s)', a.pid, coalesce(nullif(a.application_name, ''), a.usename, '?')), ', ')
            from blocked b cross join unnest(b.by) as who join pg_stat_activity a on a.pid = who
           where not exists (select from blocked where blocked.pid = a.pid)) as blockers,
         pg_is_in_recovery() as "inRecovery"`;

/** Why calls to the ledger wait, as a connection sees it that does not: null if nothing is to be seen. It writes nothing. */
export const createDiagnose = (database: Queryable) => async (): Promise<LedgerTrouble | null> => {
  const [row] = await database.query<Row>(WAITING);
  if (row === undefined) return null;
  if (row.standby > 0n)
    return {
      words: "no synchronous standby confirms commits",
      fix: "Bring a standby of synchronous_standby_names back, or take the lost one out of it and reload PostgreSQL.",
      sqlState: null,
    };
  if (row.blocked > 0n)
    return {
      words: `a lock is held by session ${row.blockers ?? "?"}`,
      fix: "End that session's transaction, or the session: select pg_terminate_backend(PID).",
      sqlState: null,
    };
  if (row.inRecovery)
    return {
      words: "the database is a standby, which takes no writes",
      fix: "Promote it, or correct database.url.",
      sqlState: "25006",
    };
  return null;
};
