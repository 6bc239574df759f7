-- Which server this is. The timeline in the name of the current WAL file is right at once after a promotion. Tests replace this.
create or replace function server_now(out identifier bigint, out timeline int) language sql volatile as $$
  select system_identifier, ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int from pg_control_system()
$$;
