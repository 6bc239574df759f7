-- Why: any role can take an advisory lock and keep it, and with it keep the gateways from their background work for ever. A row can
-- be locked only by a role that may write to its table. And `partition_v1` is the one thing that the serving role does as the owner.
-- Locks: none on tables that anybody uses.

create table duty (name text primary key);
insert into duty values ('catalogue'), ('partition'), ('rollup');

-- It names its schema and not what a caller's search path says, and waits for no lock longer than callers should.
do $$
begin
  execute format(
    'alter function partition_v1(date) security definer set search_path = %I, pg_temp set lock_timeout = %L', current_schema(), '300ms');
end
$$;
