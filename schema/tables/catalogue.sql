-- Providers, models, prices and routes.

create table provider (
  name text primary key,
  base_url text not null,
  -- Where the credential is found. The pattern keeps a credential from being pasted here by mistake.
  credential_ref text not null check (credential_ref ~ '^(env:[A-Z][A-Z0-9_]*|file:/.*|stored|none|aws|aws:arn:.*|google|entra)$'),
  created_at timestamptz not null default clock_timestamp(),
  -- Of a credential that is stored: which key sealed it. Nonce, tag and ciphertext follow each other in the box, which opens for this row's
  -- name and host alone.
  credential_key_id text check (credential_key_id ~ '^[0-9a-f]{16}$'),
  credential_box bytea check (length(credential_box) between 29 and 65564),
  -- Whether members of a request that nobody here knows are forwarded; null: what is usual at its address.
  unknown_members text check (unknown_members in ('forward', 'drop')),
  open_members text[],
  -- `strict`: it cuts an input that is too long and says nothing of it, so it is sent only what certainly fits; null: it refuses such an input.
  context_window text check (context_window in ('strict')),
  -- `send`: its calls carry the trace context of their span; null: they carry none.
  traceparent text check (traceparent in ('send')),
  -- The cloud whose addresses, bodies and streams it has; null: what its address says.
  platform text check (platform ~ '^(vertex|bedrock|azure(:[0-9]{4}-[0-9]{2}-[0-9]{2}(-preview)?)?)$'),
  -- Together or not at all; and nothing stays behind once the credential is found elsewhere.
  constraint provider_credential_stored check (
    (credential_key_id is null) = (credential_box is null) and (credential_box is null or credential_ref = 'stored')
  )
);

create table model (
  id text primary key check (id <> ''),
  owned_by text not null,
  provider text not null,
  display_name text,
  tagline text,
  context_window int check (context_window >= 1),
  max_output_tokens int check (max_output_tokens >= 1),
  -- The operator's own limit of output, where none is published: a request must have some bound to be paid for.
  output_ceiling int check (output_ceiling >= 1),
  output_floor int not null default 1024 check (output_floor >= 1),
  token_factor double precision not null default 1 check (token_factor > 0 and token_factor <= 100),
  capabilities jsonb not null default '{}' check (jsonb_typeof(capabilities) = 'object'),
  published boolean not null default true,
  created_at timestamptz not null default clock_timestamp(),
  -- The kinds of money alarm that an operator has accepted for it: why, by whom, when, and until when.
  accepted_alarms jsonb not null default '{}' check (jsonb_typeof(accepted_alarms) = 'object'),
  check (max_output_tokens is null or output_ceiling is null)
);

-- Nano-credits per million tokens, and per call of a tool. Rows are added, not changed: a charge names the version it was
-- computed with. A price to come can be withdrawn; its row stays, since a process whose clock is ahead may have used it. A
-- price that turned out to lack a part is suspended, until the next one is in force.
create table price (
  model_id text not null references model (id),
  version int not null check (version >= 1),
  effective_from timestamptz not null,
  input_nano bigint not null check (input_nano >= 0),
  output_nano bigint not null check (output_nano >= 0),
  cache_read_nano bigint check (cache_read_nano >= 0),
  cache_write_5m_nano bigint check (cache_write_5m_nano >= 0),
  cache_write_1h_nano bigint check (cache_write_1h_nano >= 0),
  -- Amounts by tool name, as text: a JSON number would pass through a double on its way.
  tool_call_nano jsonb not null default '{}' check (
    jsonb_typeof(tool_call_nano) = 'object'
    and not jsonb_path_exists(tool_call_nano, '$.* ? (@.type() != "string" || !(@ like_regex "^[0-9]{1,18}$"))')
  ),
  created_at timestamptz not null default clock_timestamp(),
  withdrawn_at timestamptz,
  -- What was used and has no number here. While this version is in force nobody is sold the model on credit. `when`: it has what programs
  -- of before 0042 do not read; to them it is suspended, and to no other.
  suspended_for text,
  output_reasoning_nano bigint check (output_reasoning_nano >= 0),
  -- What replaces these prices, and where, from top to bottom; amounts as text. Null: nothing does.
  when_lines jsonb check (jsonb_typeof(when_lines) = 'array' and jsonb_array_length(when_lines) between 1 and 64),
  input_audio_nano bigint check (input_audio_nano >= 0),
  input_image_nano bigint check (input_image_nano >= 0),
  input_video_nano bigint check (input_video_nano >= 0),
  cache_read_audio_nano bigint check (cache_read_audio_nano >= 0),
  output_audio_nano bigint check (output_audio_nano >= 0),
  output_image_nano bigint check (output_image_nano >= 0),
  primary key (model_id, version)
);
create trigger price_kept before update or delete on price for each row execute function price_kept();

create table route (
  id uuid primary key default gen_random_uuid(),
  model_id text not null references model (id),
  provider text not null references provider (name),
  upstream_model text not null,
  dialect text not null check (dialect in ('chat', 'responses', 'messages', 'gemini', 'bedrock', 'converse', 'embeddings')),
  conformant boolean not null default false,
  priority int not null default 0,
  weight int not null default 1 check (weight >= 0),
  connect_timeout_ms int not null default 5000 check (connect_timeout_ms >= 1),
  first_byte_timeout_ms int not null default 60000 check (first_byte_timeout_ms >= 1),
  idle_timeout_ms int not null default 60000 check (idle_timeout_ms >= 1),
  concurrency_limit int check (concurrency_limit >= 1),
  -- Where it runs, in a word of the operator's; null: not told.
  region text check (region ~ '^[a-z0-9][a-z0-9_-]{0,39}$'),
  unique (model_id, provider, upstream_model, dialect)
);
create index route_provider on route (provider);
create trigger catalogue_notify after insert or update or delete or truncate on provider
  for each statement execute function catalogue_notify();
create trigger catalogue_notify after insert or update or delete or truncate on model
  for each statement execute function catalogue_notify();
create trigger catalogue_notify after insert or update or delete or truncate on price
  for each statement execute function catalogue_notify();
create trigger catalogue_notify after insert or update or delete or truncate on route
  for each statement execute function catalogue_notify();

-- What checks of the price list have found: one row. Whoever sets `taken_at` makes the next one, and only they may end it.
create table price_check (
  id int primary key default 1 check (id = 1),
  list text not null,
  -- A digest of what is compared, and how: with other settings what was found is of no use.
  terms text not null,
  taken_at timestamptz not null,
  ended_at timestamptz,
  problem text,
  failing_since timestamptz,
  -- Of the last check that did not fail, and since when it is what is found.
  found_at timestamptz,
  changed_at timestamptz,
  found jsonb
);

-- What providers charge the operator, in nano-dollars per million tokens and per call of a tool, by what a charge names: the provider and its
-- model. Rows are added, never changed: in force is the row with the latest `effective_from` that has come, and of several the newest. Requests
-- never read it.
create table cost (
  no int generated always as identity primary key,
  provider text not null check (length(provider) between 1 and 300),
  upstream_model text not null check (length(upstream_model) between 1 and 500),
  effective_from timestamptz not null,
  given_at timestamptz not null,
  -- The price as lines, of which the first has no condition; amounts as text. Null: no cost is known from then on.
  lines jsonb check (jsonb_typeof(lines) = 'array' and jsonb_array_length(lines) between 1 and 65)
);
create index cost_route on cost (provider, upstream_model);
create trigger cost_is_final before update or delete on cost for each row execute function journal_is_final();
create trigger cost_is_kept before truncate on cost for each statement execute function journal_is_final();
