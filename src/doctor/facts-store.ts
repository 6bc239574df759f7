import { invariant } from "../core/invariant.ts";
import type { Queryable } from "../db/database.ts";

export type DatabaseFacts = {
  version: string;
  versionNumber: number;
  encoding: string;
  /** Connections that a role which is no superuser can have, all together. */
  connections: number;
  /** Null: no limit of its own. */
  roleConnections: number | null;
  databaseConnections: number | null;
  role: string;
  /** Null when the role may not see it. */
  dataFolder: string | null;
  isLocal: boolean;
};

const DATABASE = `
  select current_setting('server_version') as version, current_setting('server_version_num')::int as "versionNumber",
         current_setting('server_encoding') as encoding,
         current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as connections,
         (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user) as "roleConnections",
         (select nullif(datconnlimit, -1) from pg_database where datname = current_database()) as "databaseConnections",
         current_user::text as role,
         case when pg_has_role(current_user, 'pg_read_all_settings', 'usage') then current_setting('data_directory') end
           as "dataFolder",
         coalesce(host(inet_server_addr()) in ('127.0.0.1', '::1'), true) as "isLocal"`;

export async function readDatabaseFacts(queryable: Queryable): Promise<DatabaseFacts> {
  const [row] = await queryable.query<DatabaseFacts>(DATABASE);
  invariant(row, "a server describes itself");
  return row;
}

export type LedgerFacts = {
  /** Gateway processes that have renewed their lease. */
  gateways: number;
  quarantined: number;
  /** Holds whose process ended, or whose time is up, that nobody has swept for minutes. */
  unswept: number;
  /** The oldest hour whose sum is late; null when none is. */
  oldestOwed: Date | null;
  /** Charges that lie in the partition for days without one, by the server's statistics. */
  misplaced: number;
  /** Today and the days to come, in UTC, that have no partition yet. */
  unpartitioned: string[];
};

const UNSWEPT = "interval '2 minutes'";
const OWED = "interval '3 hours'";

/** Small tables, statistics and the catalogue of the server: nothing here reads the journal. */
const LEDGER = `
  select (select count(*)::int from process where lease_until >= clock.now) as gateways,
         (select count(*)::int from quarantine q join hold h on h.id = q.hold_id) as quarantined,
         (select count(*)::int from lost_holds(clock.now - ${UNSWEPT}) h
           where not exists (select from quarantine q where q.hold_id = h.id)) as unswept,
         (select min(hour) from rollup_owed where hour < clock.now - ${OWED}) as "oldestOwed",
         pg_stat_get_live_tuples('charge_other'::regclass)::int as misplaced,
         array(select to_char(day, 'YYYY-MM-DD')
                 from generate_series(date_trunc('day', clock.now at time zone 'UTC'), clock.now at time zone 'UTC' + interval '2 days', interval '1 day') day
                where not exists (select from pg_inherits where inhrelid = to_regclass('charge_' || to_char(day, 'YYYYMMDD')))
                order by day) as unpartitioned
    from (select ledger_now() as now offset 0) clock`;

export async function readLedgerFacts(queryable: Queryable): Promise<LedgerFacts> {
  const [row] = await queryable.query<LedgerFacts>(LEDGER);
  invariant(row, "the ledger describes itself");
  return row;
}

/** What the last check of the price list found; null: there was none. */
export type PriceCheckFacts = { list: string; problem: string | null; models: number | null; foundAt: Date | null };

export async function readPriceCheck(queryable: Queryable): Promise<PriceCheckFacts | null> {
  const [row] = await queryable.query<PriceCheckFacts>(
    `select list, problem, (found ->> 'models')::int as models, found_at as "foundAt" from price_check`,
    [],
  );
  return row ?? null;
}
