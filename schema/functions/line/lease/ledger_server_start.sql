-- Since when this server can have renewed leases. Tests replace it.
create or replace function ledger_server_start() returns timestamptz language sql stable as 'select pg_postmaster_start_time()';
