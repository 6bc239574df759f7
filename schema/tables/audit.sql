-- What operators asked for, and what became of it.

-- What was asked for, written before it is done: nothing is changed of which this does not tell.
create table audit (
  id uuid primary key,
  -- The order of entries of the same moment.
  no bigint generated always as identity,
  at timestamptz not null default ledger_now(),
  actor text not null check (length(actor) <= 320),
  person_id uuid,
  via text check (via in ('password', 'sso', 'token', 'automation', 'cli')),
  address text check (length(address) <= 100),
  request_id text check (length(request_id) <= 100),
  -- Such as `key.create`.
  action text not null check (action ~ '^[a-z_]+\.[a-z_]+$'),
  resource_kind text not null check (resource_kind ~ '^[a-z_]+$'),
  -- Null: it is made by this, or there are many.
  resource_id text check (length(resource_id) <= 400),
  -- How people call it, then.
  resource_name text check (length(resource_name) <= 1100),
  -- The accounts that it stood under, from the root down, itself included; of what is made, those that it is to stand under.
  account_ids uuid[] not null default '{}',
  -- What was asked for, and how it was. Views as operators see them, never a secret.
  asked jsonb check (octet_length(asked::text) <= 131072),
  before jsonb check (octet_length(before::text) <= 131072),
  -- Refusals at the door are counted by the minute, since anybody can cause them.
  count int not null default 1 check (count > 0)
);
create index audit_at on audit (at, no);
create index audit_actor on audit (actor, at, no);
create index audit_action on audit (action, at, no);
create index audit_resource on audit (resource_id);
create index audit_name on audit (resource_name);
create index audit_accounts on audit using gin (account_ids);

-- What became of it. An entry without this row was cut short: whether it was done is not known from here.
create table audit_end (
  id uuid primary key references audit,
  at timestamptz not null default ledger_now(),
  outcome text not null check (outcome in ('done', 'refused', 'failed')),
  -- What was refused, as the API names it.
  code text check (length(code) <= 100),
  resource_id text check (length(resource_id) <= 400),
  resource_name text check (length(resource_name) <= 1100),
  -- Those that it stands under now.
  account_ids uuid[] not null default '{}',
  after jsonb check (octet_length(after::text) <= 524288)
);
create index audit_end_resource on audit_end (resource_id);
create index audit_end_name on audit_end (resource_name);
create index audit_end_accounts on audit_end using gin (account_ids);
create trigger audit_is_final before update or delete on audit for each row execute function journal_is_final();
create trigger audit_is_kept before truncate on audit for each statement execute function journal_is_final();
create trigger audit_end_is_final before update or delete on audit_end for each row execute function journal_is_final();
create trigger audit_end_is_kept before truncate on audit_end for each statement execute function journal_is_final();
