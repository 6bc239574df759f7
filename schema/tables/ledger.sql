-- Money: counters and their chains, holds, the journal of charges and funding, idempotency claims, and what the operator bears.

-- Rules for one value are domains: PostgreSQL reads a table's own checks anew in every statement, and a domain's only once.
create domain amount as bigint check (value >= 0);
create domain unit as text check (value in ('credit', 'tokens'));
create domain budget_period as text check (value in ('none', 'day', 'week', 'month'));
create domain counter_kind as text check (value in ('purse', 'limit'));

-- No request takes more: a million credits, and a thousand million tokens.
create domain checkpoint_cost as bigint check (value between 0 and 1000000000000000);
create domain checkpoint_counts as int[] check (
  cardinality(value) = 6 and 0 <= all (value) and 1000000000 >= all (value) and array_position(value, null) is null
);

-- Words of the journal, as numbers: models, providers, tools. A word keeps its number for ever.
create table word (
  no int generated always as identity primary key,
  word text not null unique check (length(word) between 1 and 300)
);

-- Ways in which requests are served, as numbers: who was asked for what, with whose credential, and the tier and the region that it is charged
-- at. `said` is what the answer named instead, where the price has no line for that or nobody asked for it; empty: nothing else.
create table served (
  no int generated always as identity primary key,
  provider text not null check (length(provider) <= 300),
  upstream_model text not null check (length(upstream_model) <= 300),
  credential text not null check (length(credential) <= 300),
  tier text not null check (length(tier) <= 100),
  region text not null check (length(region) <= 100),
  said text not null check (length(said) <= 100),
  unique (provider, upstream_model, credential, tier, region, said)
);

create table charge_kind (no smallint primary key, name text not null unique);
insert into charge_kind values (1, 'completed'), (2, 'client_gone'), (3, 'upstream_failed'), (4, 'timed_out'), (5, 'swept'), (6, 'voided');

-- The ids of counters, wherever they are kept.
create sequence counter_id as int;

-- What may still be spent (`posted`), what is reserved of it (`held`), and what was charged (`used`), of an account, or of a key beside the
-- counter in its balance. A purse is prepaid and never renews; a limit is fed anew by the turn of its period.
--   purse:  posted = funded + refunded - used
--   limit:  posted = amount + refunded - used + older_held, and never below held; all of this period
create table counter (
  id int primary key default nextval('counter_id'),
  bucket bucket not null,
  -- No foreign key: a second change of a row in one transaction would look for the account again.
  account_id uuid,
  key_id uuid,
  kind counter_kind not null,
  unit unit not null,
  -- Only requests for models that match one of these patterns count here; null: all do.
  models text[] check (cardinality(models) between 1 and 100),
  -- Of a limit: what a period has.
  amount amount not null default 0,
  period budget_period not null default 'none',
  period_no bigint not null default 0,
  period_from timestamptz not null default '-infinity',
  period_ends_at timestamptz not null default 'infinity',
  -- Grows when the amount of a limit changes and when a purse is paid into: thresholds fire once in each.
  revision int not null default 1,
  -- The next threshold: fires once `used` of a limit, less what was refunded, has come up to it, or `posted` of a purse down to it. Null: none is left.
  due bigint,
  fundings bigint not null default 0,
  closed_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  posted bigint not null default 0,
  -- The sum of all open holds, and the share of it that was admitted in earlier periods.
  held bigint not null default 0,
  older_held bigint not null default 0,
  used bigint not null default 0,
  funded bigint not null default 0,
  refunded bigint not null default 0,
  constraint held_not_negative check (held >= older_held and older_held >= 0),
  constraint posted_covers_held check (posted >= held),
  check ((account_id is null) <> (key_id is null)),
  check (kind = 'limit' or (period = 'none' and models is null))
) with (
  fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0
);
create index counter_account on counter (account_id) where account_id is not null;
create index counter_key on counter (key_id) where key_id is not null;

-- The counters that requests of a key must satisfy, and the accounts above it at that time. Rows never change, so that reports by account
-- stay true when a key moves. `own` is the counter in the key's balance, 0 where it has none; `counters` are rows of `counter`.
create table chain (
  id int generated always as identity primary key,
  key_id uuid not null,
  key_no int not null,
  -- From the root down to the account of the key.
  accounts uuid[] not null,
  own int not null,
  counters int[] not null check (cardinality(counters) + (own > 0)::int <= 8),
  -- What is counted in it: 1 credits, 2 tokens, 3 both.
  units smallint not null check (units between 0 and 3),
  unique (key_id, accounts, own, counters)
);
create index chain_account on chain using gin (accounts);
create index chain_key_no on chain (key_no);

-- One row for each key, always locked first: its version, its chain, its own counter where it has one, its totals and its rate. What changes
-- with every request stands together, so that the log of the database has little to say.
create table balance (
  key_id uuid primary key,
  key_no int not null unique,
  bucket bucket not null,
  -- Follows key.version in the transaction that changes the key, so the very next admit sees a revocation.
  version bigint not null,
  -- What the mode of the key counts in.
  mode_unit unit not null,
  -- The chain of a request for a model that all limits match, and its rows of `counter`; null: none.
  chain int not null,
  counters int[],
  -- What is counted in it: 1 credits, 2 tokens, 3 both.
  units smallint not null default 0,
  -- The key's own counter, as in `counter`. Null: it has none, and nothing of it counts.
  counter int unique,
  kind counter_kind,
  unit unit,
  amount amount not null default 0,
  period budget_period not null default 'none',
  period_no bigint not null default 0,
  period_from timestamptz not null default '-infinity',
  period_ends_at timestamptz not null default 'infinity',
  revision int not null default 1,
  due bigint,
  fundings bigint not null default 0,
  funded bigint not null default 0,
  refunded bigint not null default 0,
  today date not null default '-infinity',
  older_held bigint not null default 0,
  posted bigint not null default 0,
  held bigint not null default 0,
  used bigint not null default 0,
  -- Credits that requests of this key have cost, whoever paid.
  spent bigint not null default 0,
  -- In the unit of its mode.
  today_spend bigint not null default 0,
  last_cost bigint not null default 0,
  requests bigint not null default 0,
  tokens_in bigint not null default 0,
  tokens_out bigint not null default 0,
  -- The requests of the last minute that were accepted under a limit, oldest first, one number for each second in which there were some:
  -- the microsecond of its last one times 1,024, plus how many. A second leaves the window sixty seconds after its last request, so that
  -- the window never counts fewer than were made, and the newest is gone after sixty seconds at most.
  rate bigint[] not null default '{}',
  constraint held_not_negative check (held >= older_held and older_held >= 0),
  constraint posted_covers_held check (posted >= held),
  check ((counter is null) = (kind is null) and (counter is null) = (unit is null)),
  check (counter is not null or (posted = 0 and held = 0 and used = 0))
) with (
  fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0
);

-- Open holds only: whatever ends a hold deletes it and writes its charge, both under the lock of the balance. `credits` and `tokens` are
-- null where the chain has no counter of that unit.
create table hold (
  id uuid primary key,
  key_id uuid not null,
  process_id uuid not null,
  admitted_at timestamptz not null,
  deadline timestamptz not null,
  credits amount,
  tokens amount,
  key_no int not null,
  chain int not null,
  -- As in its chain; null: none.
  counters int[],
  model int not null,
  price_version int not null,
  claimed boolean not null,
  content_delivered boolean not null default false,
  checkpoint_seq int not null default 0,
  checkpoint_credits checkpoint_cost not null default 0,
  -- Usage so far: input, cache read, cache write, of these kept an hour, output, reasoning. Null: nothing yet.
  checkpoint_usage checkpoint_counts,
  checkpoint_tools jsonb,
  checkpoint_served int,
  checkpoint_more jsonb
) with (
  fillfactor = 80, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0
);

-- The journal, first half: exactly one row per hold, whatever ended it, with all that its amount was computed from. A charge of 0 is a row
-- too, so that a repeated settle finds it. The id sorts by time, so ranges of it are ranges of time and the key stays global.
-- An amount is null where the chain has no counter of its unit.
create table charge (
  hold_id uuid not null,
  admitted_at timestamptz not null,
  at timestamptz not null,
  -- The transaction that wrote it.
  xid xid8 not null default pg_current_xact_id(),
  granted_credits bigint,
  granted_tokens bigint,
  credits bigint,
  tokens bigint,
  key_no int not null,
  -- 0: barred before it was admitted.
  chain int not null,
  model int,
  price_version int,
  -- All input, and the shares of it that were read from a cache, written to one, and of the latter kept for an hour. Null: none of it.
  input int not null default 0,
  cache_read int,
  cache_write int,
  cache_write_1h int,
  -- All output, and the share of it that is reasoning; null: none.
  output int not null default 0,
  reasoning int,
  took_ms int,
  first_byte_ms int,
  provider int,
  status smallint,
  kind smallint not null,
  -- The counts are ours and not the provider's.
  estimated boolean not null default false,
  -- Part of what people are told they used. Requests that were cut off are not.
  reported boolean not null default false,
  -- Calls of tools that the provider ran, by the number of their word; null: none.
  tools jsonb,
  -- Of the request, keyed with the caller's secret.
  digest bytea,
  -- How it was served; null: no provider was asked, or nothing is known of it.
  served int,
  -- Counts that have no column, where there are any: `parts`, tokens by the words of prices.
  more jsonb,
  primary key (hold_id),
  check (credits >= 0 and tokens >= 0 and (kind <> 6 or coalesce(credits, 0) + coalesce(tokens, 0) = 0))
) partition by range (hold_id);

-- Charges are of many keys, whatever the statistics have seen so far.
create table charge_other partition of charge default;
alter table charge_other alter column key_no set (n_distinct = 1000), alter column chain set (n_distinct = 1000);
create index charge_key on charge (key_no, hold_id);
create index charge_at on charge using brin (at);

-- The journal, second half: purchases, grants, adjustments, amounts of limits and turns of periods. References beginning with # are the
-- ledger's own. Fundings of a counter have an order of their own (`seq`), whatever the clock says.
create table funding (
  counter int not null,
  reference text not null check (length(reference) between 1 and 200),
  seq bigint not null,
  kind text not null check (kind in ('purchase', 'grant', 'adjust', 'limit', 'turn')),
  amount bigint not null,
  period_no bigint not null,
  -- Of a limit: how often it renews.
  period budget_period,
  actor text not null,
  at timestamptz not null,
  xid xid8 not null default pg_current_xact_id(),
  primary key (counter, reference),
  unique (counter, seq)
);

-- A payment is booked once.
create unique index funding_payment on funding (reference) where kind = 'purchase';

-- What was given back of a charge, in every counter of its chain. A void undoes what is left of it: its caller was told of a failure.
create table refund (
  hold_id uuid not null,
  reference text not null check (length(reference) between 1 and 200),
  kind text not null check (kind in ('refund', 'void')),
  key_no int not null,
  chain int not null,
  credits amount,
  tokens amount,
  actor text not null,
  at timestamptz not null,
  xid xid8 not null default pg_current_xact_id(),
  primary key (hold_id, reference),
  unique (key_no, reference)
);
create trigger charge_is_final before update or delete on charge for each row execute function journal_is_final();
create trigger funding_is_final before update or delete on funding for each row execute function journal_is_final();
create trigger refund_is_final before update or delete on refund for each row execute function journal_is_final();
create trigger chain_is_final before update or delete on chain for each row execute function journal_is_final();
create trigger word_is_final before update or delete on word for each row execute function journal_is_final();
create trigger served_is_final before update or delete on served for each row execute function journal_is_final();
create trigger charge_is_kept before truncate on charge for each statement execute function journal_is_final();
create trigger charge_other_is_kept before truncate on charge_other for each statement execute function journal_is_final();
create trigger funding_is_kept before truncate on funding for each statement execute function journal_is_final();
create trigger refund_is_kept before truncate on refund for each statement execute function journal_is_final();
create trigger chain_is_kept before truncate on chain for each statement execute function journal_is_final();
create trigger word_is_kept before truncate on word for each statement execute function journal_is_final();
create trigger served_is_kept before truncate on served for each statement execute function journal_is_final();

-- The journal of charges in words.
create view charge_in_words as
  select c.hold_id, c.admitted_at, c.at, c.xid, h.key_id, c.key_no, c.chain, h.accounts, k.name as kind, c.granted_credits, c.granted_tokens,
         c.credits, c.tokens, m.word as model, c.price_version, p.word as provider, c.status, c.input, coalesce(c.cache_read, 0) as cache_read,
         coalesce(c.cache_write, 0) as cache_write, coalesce(c.cache_write_1h, 0) as cache_write_1h, c.output,
         coalesce(c.reasoning, 0) as reasoning, c.tools, c.first_byte_ms, c.took_ms, c.estimated, c.reported, c.digest,
         s.upstream_model, s.credential, coalesce(s.tier, 'default') as tier, coalesce(s.region, 'any') as region, s.said, c.more
    from charge c
    join charge_kind k on k.no = c.kind
    left join chain h on h.id = c.chain
    left join word m on m.no = c.model
    left join word p on p.no = c.provider
    left join served s on s.no = c.served;

-- Every counter, wherever it is kept.
create view counter_anywhere as
  select id, bucket, account_id, key_id, kind, unit, models, amount, period, period_no, period_from, period_ends_at, revision, due, fundings,
         closed_at, posted, held, older_held, used, funded, refunded, false as own
    from counter
  union all
  select counter, bucket, null, key_id, kind, unit, null, amount, period, period_no, period_from, period_ends_at, revision, due, fundings,
         null, posted, held, older_held, used, funded, refunded, true
    from balance where counter is not null;

-- The chain that each key should have.
create view chain_due as
  select b.key_id, b.key_no, a.path as accounts, coalesce(b.counter, 0) as own,
         array(select c.id from (
                 select id from counter where account_id = any (a.path) and closed_at is null
                 union all
                 select id from counter where key_id = b.key_id and closed_at is null
               ) c order by c.id) as counters
    from balance b join key k on k.id = b.key_id join account a on a.id = k.account_id;

create table idempotency (
  key_id uuid not null,
  key_sha256 bytea not null check (length(key_sha256) = 32),
  fingerprint bytea not null check (length(fingerprint) = 32),
  state text not null check (state in ('in_flight', 'stored', 'unavailable', 'interrupted')),
  hold_id uuid not null,
  status int,
  content_type text,
  body bytea,
  -- A claim in flight lives as long as its hold; the day begins when it ends.
  expires_at timestamptz not null default 'infinity',
  primary key (key_id, key_sha256),
  check ((state = 'in_flight') = (expires_at = 'infinity')),
  check ((state = 'stored') = (body is not null))
);
alter table idempotency alter column body set storage external;
create unique index idempotency_hold on idempotency (hold_id);
create index idempotency_expiry on idempotency (expires_at);

-- What the operator bears: the part of a price that neither the hold nor what was available could pay (`overrun`), work that was done for a
-- client that left (`write_off`), what a provider's failure after content waived (`failed`), and what was undone because its caller was
-- told of a failure (`voided`). One row per unit.
create table house (
  hold_id uuid not null,
  kind text not null check (kind in ('overrun', 'write_off', 'failed', 'voided')),
  unit unit not null,
  key_id uuid not null,
  amount bigint not null check (amount > 0),
  at timestamptz not null,
  xid xid8 not null default pg_current_xact_id(),
  primary key (hold_id, kind, unit)
);

-- What stands in `house` of a payer, and of an account, by unit and minute and for little more than an hour, so that the sum of an hour is one
-- of sixty-one rows however often a caller leaves. `caused` are overruns and write-offs, which a caller can bring about; `failed` is not
-- held against its payer.
create table borne (
  -- The payer, or the account where `account` says so.
  whose uuid not null,
  minute timestamptz not null,
  caused amount not null,
  failed amount not null,
  account boolean not null default false,
  unit unit not null,
  primary key (whose, account, unit, minute)
) with (fillfactor = 50);

-- Holds that could not be ended, and why. They stay open and held. Not of `hold` itself, whose every byte each request writes.
create table quarantine (
  hold_id uuid primary key,
  key_id uuid not null,
  since timestamptz not null,
  code text not null,
  reason text not null check (length(reason) <= 300)
);
create index quarantine_key on quarantine (key_id);

-- The clock once rows are locked, and of their periods the last beginning and the first end.
create type moment as (clock timestamptz, begun timestamptz, ends timestamptz);

-- What a call answers, one row for what is special and one at place 0 for what is not. `part`: `s` of a settlement, `a` of a request that
-- wants to start.
create type answer as (
  part text, place int, verdict text, credits bigint, tokens bigint, retry_after_ms bigint, posted_credits bigint, posted_tokens bigint,
  free_credits bigint, free_tokens bigint, counter int, posted bigint, free bigint, amount bigint, unit text, kind text, period text,
  renews_at timestamptz, holder text
);

-- Who released a hold that was set aside, and how.
create table release (
  hold_id uuid primary key,
  key_id uuid not null,
  void boolean not null,
  actor text not null,
  at timestamptz not null,
  xid xid8 not null default pg_current_xact_id()
);
create trigger release_is_final before update or delete on release for each row execute function journal_is_final();

-- The open counters as they are now: a period that has ended is shown as ended, whether or not a request has come.
create view counter_now as
  select c.id, c.account_id, c.key_id, c.own, c.kind, c.unit, c.models, c.amount, c.period, c.funded,
         case when c.turned then c.amount else c.posted - c.older_held end as posted,
         case when c.turned then 0 else c.held - c.older_held end as held,
         case when c.turned then 0 else c.used end as used,
         case when c.turned then 0 else c.refunded end as refunded,
         nullif(case when c.turned then period_end(c.period, c.now) else c.period_ends_at end, 'infinity') as renews_at
    from (select k.*, t.now, t.now >= k.period_ends_at as turned
            from counter_anywhere k cross join (select ledger_now() as now) t where k.closed_at is null) c;
