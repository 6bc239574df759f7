-- Why: keys and accounts can be limited to some of the tiers that are sold. Those that are there may ask for all of them. And what the last
-- check of the price list has found is kept.
-- Locks: exclusive on key and account, for a moment; columns without a default rewrite no row.
-- Compatible: programs from 0039 on.
-- Programs of before do not read it: they sell every tier to every key.

alter table key add column tiers text[];
alter table account add column tiers text[];
drop trigger key_notify on key;
create trigger key_notify after insert or delete
  or update of bucket, version, mode, label, status, provider_scope, models, tiers, rpm_limit, expires_at, revoked_at on key
  for each row execute function key_notify();

create table price_check (
  id int primary key default 1 check (id = 1),
  list text not null,
  terms text not null,
  taken_at timestamptz not null,
  ended_at timestamptz,
  problem text,
  failing_since timestamptz,
  found_at timestamptz,
  changed_at timestamptz,
  found jsonb
);

-- It belongs to the owner of the tables, whoever migrates.
do $$
begin
  execute format('alter table price_check owner to %I', (select pg_get_userbyid(relowner) from pg_class where oid = 'migration'::regclass));
end $$;
