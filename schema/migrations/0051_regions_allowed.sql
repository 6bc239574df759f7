-- Why: keys and accounts can be limited to the routes of some regions. Routes say where they run, and a record says where its request ran.
-- Locks: exclusive on key, account, route and request, for a moment; columns without a default rewrite no row.
-- Compatible: programs from 0039 on.
-- Programs of before do not read it: they send the requests of every key along every route.

alter table key add column regions text[];
alter table account add column regions text[];
alter table route add column region text check (region ~ '^[a-z0-9][a-z0-9_-]{0,39}$');
alter table request add column region text;
drop trigger key_notify on key;
create trigger key_notify after insert or delete
  or update of bucket, version, mode, label, status, provider_scope, models, tiers, regions, rpm_limit, expires_at, revoked_at on key
  for each row execute function key_notify();
