-- The timeline this server writes. A standby that is promoted begins another one, however long it has been up. Tests replace it.
create or replace function server_timeline() returns bigint language sql volatile
as $$ select ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint $$;
