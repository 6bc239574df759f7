import { invariant } from "../core/invariant.ts";
import type { DiskFacts } from "../core/disk-facts.ts";
import type { Queryable } from "../db/database.ts";

type Row = Omit<DiskFacts, "walBytes"> & { seesWal: boolean };

/** Each part only where the role may ask for it, so that none is refused. */
const DISK = `
  select pg_database_size(current_database())::float8 as "databaseBytes",
         (select sum(case when t.oid = d.dattablespace or has_tablespace_privilege(t.oid, 'create')
                            or pg_has_role(current_user, 'pg_read_all_stats', 'usage')
                          then pg_tablespace_size(t.oid) end)::float8
            from pg_tablespace t, pg_database d where d.datname = current_database()) as "tablespaceBytes",
         has_function_privilege('pg_ls_waldir()', 'execute') as "seesWal",
         array(select slot_name::text from pg_replication_slots
                where wal_status in ('extended', 'unreserved', 'lost') order by slot_name) as "slotsBeyondLimit",
         (select max(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn))::float8 from pg_replication_slots) as "slotHeldBytes",
         (select min(safe_wal_size)::float8 from pg_replication_slots) as "slotSafeBytes"`;

/** PostgreSQL refuses a statement that names a function which the role may not call, even where it is not called. */
const WAL = `select sum(size)::float8 as bytes from pg_ls_waldir()`;

/** What a server says of its disk. SQL has no word for how much of it is free. */
export async function readDiskFacts(queryable: Queryable): Promise<DiskFacts> {
  const [row] = await queryable.query<Row>(DISK);
  invariant(row, "a server describes itself");
  const { seesWal, ...facts } = row;
  const [wal] = seesWal ? await queryable.query<{ bytes: number }>(WAL) : [];
  return { ...facts, walBytes: wal?.bytes ?? null };
}
