-- Why: money. Balances, holds, the journal of charges and funding, idempotency claims, leases and usage records.
-- Locks: `key`, against writers, while its triggers are made and every key gets its balance. The rest is new.

-- One clock for the whole ledger, and the moment since which the server has been able to answer. Tests replace both.
create function ledger_now() returns timestamptz language sql volatile as 'select clock_timestamp()';
create function ledger_server_start() returns timestamptz language sql stable as 'select pg_postmaster_start_time()';

-- Rules for one value are domains: PostgreSQL reads a table's own checks anew in every statement, and a domain's only once.
create domain bucket as smallint check (value between 0 and 4095);
create domain amount as bigint check (value >= 0);
create domain unit as text check (value in ('credit', 'tokens'));
create domain budget_period as text check (value in ('none', 'day', 'week', 'month'));
-- Accepted requests per 5 s, newest first. Any 60 s touch at most thirteen cells, so their sum bounds every window.
create domain rate_cells as int[] check (cardinality(value) = 13);
create domain charge_kind as text
  check (value in ('completed', 'client_gone', 'upstream_failed', 'timed_out', 'swept', 'voided'));

create table balance (
  key_id uuid primary key,
  bucket bucket not null,
  -- Follows key.version in the transaction that changes the key, so the very next admit sees a revocation.
  version bigint not null,
  unit unit not null,
  posted bigint not null default 0,
  -- The sum of all open holds, and the share of it that was admitted in earlier token periods.
  held bigint not null default 0,
  older_held bigint not null default 0,
  -- Credit: all funding. Tokens: always 0.
  purchased bigint not null default 0,
  -- Credit: all charges. Tokens: the charges of this period.
  used bigint not null default 0,
  budget amount not null default 0,
  period budget_period not null default 'month',
  period_no bigint not null default 0,
  period_ends_at timestamptz not null default 'infinity',
  today date not null default '-infinity',
  today_spend bigint not null default 0,
  last_cost bigint not null default 0,
  requests bigint not null default 0,
  tokens_in bigint not null default 0,
  tokens_out bigint not null default 0,
  rate_cells rate_cells not null default '{0,0,0,0,0,0,0,0,0,0,0,0,0}',
  rate_cell bigint not null default 0,
  constraint held_not_negative check (held >= older_held and older_held >= 0),
  constraint posted_covers_held check (posted >= held)
) with (
  fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0
);

-- Open holds only: whatever ends a hold deletes it and writes its charge, both under the lock of the balance.
create table hold (
  id uuid primary key,
  bucket bucket not null,
  key_id uuid not null,
  amount amount not null,
  period_no bigint not null,
  process_id uuid not null,
  model text not null,
  price_version int not null,
  checkpoint_cost amount not null default 0,
  checkpoint_in bigint not null default 0,
  checkpoint_out bigint not null default 0,
  checkpoint_seq int not null default 0,
  content_delivered boolean not null default false,
  claimed boolean not null,
  admitted_at timestamptz not null,
  deadline timestamptz not null
) with (
  fillfactor = 80, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0
);

-- The journal, first half: exactly one row per hold, whatever ended it. A charge of 0 is a row too, so that a repeated
-- settle finds it. The id sorts by time, so ranges of it are ranges of time and the key stays global.
create table charge (
  hold_id uuid primary key,
  bucket bucket not null,
  key_id uuid not null,
  granted amount not null,
  amount amount not null,
  kind charge_kind not null,
  period_no bigint not null,
  model text,
  price_version int,
  tokens_in amount not null default 0,
  tokens_out amount not null default 0,
  at timestamptz not null,
  constraint failure_is_free check (kind not in ('upstream_failed', 'voided') or amount = 0)
) partition by range (hold_id);
create table charge_other partition of charge default;
-- Charges with a usage record are found by way of it; these have none.
create index charge_key on charge (key_id, hold_id) where kind in ('client_gone', 'swept', 'voided');

-- The journal, second half. References beginning with # are the ledger's own.
create table funding (
  key_id uuid not null,
  reference text not null check (length(reference) between 1 and 200),
  bucket bucket not null,
  kind text not null check (kind in ('purchase', 'grant', 'refund', 'adjust', 'budget', 'period_reset')),
  amount bigint not null,
  period_no bigint not null,
  about uuid,
  actor text not null,
  at timestamptz not null,
  primary key (key_id, reference),
  check ((kind = 'refund') = (about is not null))
);
create index funding_about on funding (about) where about is not null;

create function journal_is_final() returns trigger language plpgsql as $$
begin
  raise exception '% is a journal: rows are added, never changed or removed', tg_table_name using errcode = 'restrict_violation';
end
$$;
create trigger charge_is_final before update or delete on charge for each row execute function journal_is_final();
create trigger funding_is_final before update or delete on funding for each row execute function journal_is_final();
create trigger charge_is_kept before truncate on charge for each statement execute function journal_is_final();
create trigger charge_other_is_kept before truncate on charge_other for each statement execute function journal_is_final();
create trigger funding_is_kept before truncate on funding for each statement execute function journal_is_final();

create table idempotency (
  key_id uuid not null,
  route text not null,
  key_sha256 bytea not null check (length(key_sha256) = 32),
  bucket bucket not null,
  fingerprint bytea not null check (length(fingerprint) = 32),
  state text not null check (state in ('in_flight', 'stored', 'unavailable', 'interrupted')),
  hold_id uuid not null,
  status int,
  content_type text,
  body bytea,
  -- A claim in flight lives as long as its hold; the day begins when it ends.
  expires_at timestamptz not null default 'infinity',
  primary key (key_id, route, key_sha256),
  check ((state = 'in_flight') = (expires_at = 'infinity')),
  check ((state = 'stored') = (body is not null))
);
alter table idempotency alter column body set storage external;
create unique index idempotency_hold on idempotency (hold_id);
create index idempotency_expiry on idempotency (expires_at);

create table process (
  id uuid primary key,
  -- Begins anew when a lease had run out, since nobody else may have been able to renew either.
  renewing_since timestamptz not null,
  lease_until timestamptz not null
);

-- Unique by the charge that is written with it, so it needs no key of its own; the times are nearly in order, so a coarse index
-- is enough to find an hour.
create table usage_record (
  id uuid not null,
  bucket bucket not null,
  key_id uuid not null,
  cost bigint not null,
  outcome text not null,
  model text not null,
  price_version int not null,
  provider text not null,
  status int not null,
  tokens_in bigint not null,
  tokens_out bigint not null,
  cache_read bigint not null,
  cache_write bigint not null,
  reasoning bigint not null,
  first_byte_ms int,
  took_ms int not null,
  estimated boolean not null,
  at timestamptz not null
) partition by range (id);
create table usage_record_other partition of usage_record default;
create index usage_record_key on usage_record (key_id, id);
create index usage_record_at on usage_record using brin (at);

create table usage_rollup (
  key_id uuid not null,
  hour timestamptz not null,
  model text not null,
  outcome text not null,
  bucket bucket not null,
  requests bigint not null,
  cost bigint not null,
  tokens_in bigint not null,
  tokens_out bigint not null,
  primary key (key_id, hour, model, outcome)
) with (fillfactor = 50);

-- What the operator bears: the part of a charge that neither the hold nor the unreserved balance could pay, and what a provider
-- was asked for by a client that left before it answered.
create table house (
  hold_id uuid not null,
  bucket bucket not null,
  key_id uuid not null,
  kind text not null check (kind in ('overrun', 'write_off')),
  amount bigint not null check (amount > 0),
  at timestamptz not null,
  primary key (hold_id, kind)
);
create index house_write_off on house (key_id, at) where kind = 'write_off';

-- The end of the period that an instant lies in, UTC; weeks begin on Monday.
create function period_end(p_period text, p_at timestamptz) returns timestamptz language sql immutable as $$
  select case p_period
    when 'day' then (date_trunc('day', p_at at time zone 'UTC') + interval '1 day') at time zone 'UTC'
    when 'week' then (date_trunc('week', p_at at time zone 'UTC') + interval '1 week') at time zone 'UTC'
    when 'month' then (date_trunc('month', p_at at time zone 'UTC') + interval '1 month') at time zone 'UTC'
    else 'infinity' end
$$;

-- A key has a balance from its first moment and shares its version, in the same transaction.
create function key_balance() returns trigger language plpgsql as $$
begin
  insert into balance (key_id, bucket, version, unit)
  values (new.id, new.bucket, new.version, case new.mode when 'credit' then 'credit' else 'tokens' end)
  on conflict (key_id) do update set version = excluded.version;
  return null;
end
$$;
create trigger key_balance after insert or update on key for each row execute function key_balance();

insert into balance (key_id, bucket, version, unit)
select id, bucket, version, case mode when 'credit' then 'credit' else 'tokens' end from key;
