-- What became of each request, and sums of it over time.

-- One row for each request that named a key or was refused. No money depends on it: the journal is what was charged. Ids sort by time, so a
-- range of ids is a range of time, and the id of a request names its partition. Never a prompt and never an answer.
create table request (
  id uuid not null,
  -- How many requests the row stands for: refusals of one kind beyond so many in one flush are counted in the first of them.
  times int not null default 1 check (times >= 1),
  -- Null: no known key was named.
  key_id uuid,
  -- The accounts above the key at that time, from the root down; empty for a key that is its own account.
  accounts uuid[] not null default '{}',
  route text not null,
  -- The client's format.
  format text,
  -- As the client named it, where that is no model it could use.
  model_asked text check (length(model_asked) <= 128),
  model text,
  -- The provider and the route that were asked last.
  provider text,
  route_id uuid,
  status smallint not null,
  -- The error code, else `ok`, or how the generation ended: `client_gone`.
  code text not null,
  outcome text,
  streamed boolean not null default false,
  -- The response to an earlier request with the same idempotency key.
  replay boolean not null default false,
  -- Steps, in microseconds since the request came in; null: it did not get there.
  authenticated_us int,
  read_us int,
  checked_us int,
  admitted_us int,
  dispatched_us int,
  first_byte_us int,
  last_byte_us int,
  settled_us int,
  closed_us int not null,
  -- Time spent waiting for providers.
  provider_us int not null default 0,
  -- Every attempt; null: none, or one that was answered, which the columns above tell.
  attempts jsonb,
  input int not null default 0,
  cached int not null default 0,
  output int not null default 0,
  reasoning int not null default 0,
  held_credits bigint,
  held_tokens bigint,
  credits bigint,
  tokens bigint,
  price_version int,
  -- The message that the client got.
  refusal text check (length(refusal) <= 500),
  -- The client's User-Agent, and the name of the agent where it is a known one.
  client text check (length(client) <= 120),
  agent text,
  -- Fields of the request that the provider was not sent.
  dropped text,
  bytes_out bigint not null default 0,
  -- The id of its trace, which has the length of a uuid: the gateway's, else the one that the client named. Null: neither had one.
  trace_id uuid,
  -- Where the route that was asked last runs; null: it does not say.
  region text,
  primary key (id)
) partition by range (id);

create table request_other partition of request default;

-- One index finds the requests of a key, an account, a model, a provider, a code, a status and an agent: its lists of rows are compressed, so
-- it is smaller than one of the seven as a tree would be.
create index request_found on request using gin ((accounts || key_id), (array[model, provider, code, agent, status::text]));

-- Sums of requests: of all, of each account and of each key, in steps of so many minutes. Written with the rows of `request`, in the same
-- transaction.
create table series (
  -- All zeros: everything. Else an account or a key.
  scope uuid not null,
  grain smallint not null check (grain in (5, 60, 1440)),
  start timestamptz not null,
  -- Empty: no model, or none that exists; no provider.
  model text not null,
  provider text not null,
  code text not null,
  requests bigint not null,
  input bigint not null,
  cached bigint not null,
  output bigint not null,
  credits bigint not null,
  tokens bigint not null,
  -- Output of streams that were completed, and how long it took from their first to their last byte.
  spoken bigint not null,
  spoken_ms bigint not null,
  -- How many requests took how long to the first byte of a stream, and in the gateway itself. Null: none.
  ttft int[],
  overhead int[],
  primary key (scope, grain, start, model, provider, code)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
create index series_start on series using brin (start) with (pages_per_range = 32);

create table series_total (
  scope uuid not null,
  grain smallint not null check (grain in (5, 60, 1440)),
  start timestamptz not null,
  code text not null,
  requests bigint not null,
  input bigint not null,
  cached bigint not null,
  output bigint not null,
  credits bigint not null,
  tokens bigint not null,
  spoken bigint not null,
  spoken_ms bigint not null,
  ttft int[],
  overhead int[],
  primary key (scope, grain, start, code)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
create index series_total_start on series_total using brin (start) with (pages_per_range = 32);

create table series_owed (
  -- The first of the records that were written together.
  batch uuid primary key,
  -- All of them.
  requests uuid[] not null,
  at timestamptz not null default now()
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500, toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 2000);

-- Random bytes do not get smaller.
alter table series_owed alter column requests set storage external;
