-- Why: what providers charge the operator can be given, from a date on, so that margins can be shown. No cost is given at first.
-- Locks: none; the table is new.
-- Compatible: programs from 0039 on.

create table cost (
  no int generated always as identity primary key,
  provider text not null check (length(provider) between 1 and 300),
  upstream_model text not null check (length(upstream_model) between 1 and 500),
  effective_from timestamptz not null,
  given_at timestamptz not null,
  lines jsonb check (jsonb_typeof(lines) = 'array' and jsonb_array_length(lines) between 1 and 65)
);
create index cost_route on cost (provider, upstream_model);

create trigger cost_is_final before update or delete on cost for each row execute function journal_is_final();
create trigger cost_is_kept before truncate on cost for each statement execute function journal_is_final();

-- Whoever migrates, the table belongs to the owner of the others.
do $$
begin
  execute format('alter table cost owner to %I', (select pg_get_userbyid(relowner) from pg_class where oid = 'migration'::regclass));
end $$;
