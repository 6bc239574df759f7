-- Who is told that a counter runs low.

-- What a counter is watched for: percentages of a limit's amount, or amounts left of a purse. An empty list: nothing. Without a row a limit
-- is watched at 80 and 100 %, and a purse for the end of what was paid in.
create table threshold (
  counter int primary key,
  marks bigint[] not null check (cardinality(marks) <= 20 and array_position(marks, null) is null and 0 <= all (marks))
);

-- One row for each threshold that was passed: in each period and revision of a limit, or after each funding of a purse, which is a revision,
-- too. What was true then stands here; names are those of today.
create table notice (
  id uuid primary key default gen_random_uuid(),
  no bigint generated always as identity unique,
  counter int not null,
  unit unit not null,
  period budget_period not null,
  period_no bigint not null,
  revision int not null,
  -- So many percent of a limit are used, or so much of a purse is left.
  kind text not null check (kind in ('percent', 'left')),
  value bigint not null,
  -- `used`: what was charged has come up to it; `left`: what is left has come down to it; `refused`: a request was refused for it. `too_large`:
  -- one was that asked for much, while there was more than a hundredth of it left; its value is -1, which is no threshold.
  cause text not null,
  -- Of a limit: what a period has. Of a purse: all that was paid in.
  amount bigint not null,
  -- Without what was refunded.
  used bigint not null,
  posted bigint not null,
  held bigint not null,
  renews_at timestamptz,
  at timestamptz not null,
  xid xid8 not null default pg_current_xact_id(),
  constraint notice_cause_check check (cause in ('used', 'left', 'refused', 'too_large') and (cause = 'too_large') = (value = -1)),
  unique (counter, period_no, revision, kind, value)
);
create trigger notice_is_final before update or delete on notice for each row execute function journal_is_final();
create trigger notice_is_kept before truncate on notice for each statement execute function journal_is_final();

-- Where notices are sent: the names in the settings of processes, and when one of these was last seen.
create table endpoint (
  name text primary key check (name ~ '^[a-z][a-z0-9_-]{0,31}$'),
  seen_at timestamptz not null
);

-- One row for each notice and endpoint.
create table delivery (
  notice uuid not null,
  endpoint text not null,
  -- As in the notice, for the order.
  no bigint not null,
  counter int not null,
  state text not null default 'waiting' check (state in ('waiting', 'delivered', 'dead')),
  attempts int not null default 0,
  -- When the next attempt is due. While one is under way, `sending`: when it is taken for lost.
  next_at timestamptz not null,
  sending boolean not null default false,
  first_at timestamptz,
  last_at timestamptz,
  -- What became of the last attempt: the status of the response, and in a word what was wrong.
  status int,
  problem text check (length(problem) <= 100),
  primary key (notice, endpoint)
);
create index delivery_waiting on delivery (endpoint, next_at) where state = 'waiting';
create index delivery_order on delivery (endpoint, counter, no) where state = 'waiting';
create index delivery_dead on delivery (no) where state = 'dead';

-- Whose a counter is. An account of a single key has no name of its own.
create view counter_owner as
  select c.id as counter, a.id as account_id, k.id as key_id, k.label as key_label,
         (select s.prefix from key_secret s where s.key_id = k.id order by s.created_at desc, s.prefix limit 1) as key_prefix,
         case when a.id is null then '{}'::text[]
              else array(select p.name from unnest(a.path) with ordinality u (id, place) join account p on p.id = u.id order by u.place) end as account_path,
         c.models, c.own
    from counter_anywhere c
    left join key k on k.id = c.key_id
    left join account a on a.id = coalesce(c.account_id, k.account_id) and not a.lone;
