-- Why: accounts, keys with their secrets, and the catalogue of providers, models, prices and routes.
-- Locks: only the tables it creates, which nobody can be using yet.

create domain bucket as smallint check (value between 0 and 4095);

-- Whoever pays or is limited. Accounts form a tree, at most four deep, and a tree lies in one bucket. A key made without an account gets
-- one of its own, with the id of the key: it is `lone` until it is adopted into a tree.
create table account (
  id uuid primary key,
  bucket bucket not null,
  parent_id uuid references account (id),
  -- From the root down to this one.
  path uuid[] not null check (cardinality(path) between 1 and 4),
  name text not null check (length(name) between 1 and 200),
  -- A word for people: organisation, team, person, project, customer.
  kind text not null default 'account' check (kind ~ '^[a-z][a-z_]{0,31}$'),
  lone boolean not null default false,
  status text not null default 'active' check (status in ('active', 'suspended', 'disabled', 'closed')),
  created_at timestamptz not null default clock_timestamp(),
  check (path[cardinality(path)] = id),
  check ((parent_id is null) = (cardinality(path) = 1)),
  -- A slash stands between the names of a path.
  check (lone or name !~ '/')
);
create index account_parent on account (parent_id);
create index account_path on account using gin (path);
-- Siblings have different names, so that a path of names means one account. Lone ones are known by their key.
create unique index account_name on account (coalesce(parent_id, '00000000-0000-0000-0000-000000000000'), lower(name))
  where not lone and status <> 'closed';

create table key (
  id uuid primary key,
  -- The same in four bytes, for the journal.
  no int generated always as identity unique,
  bucket bucket not null,
  account_id uuid not null references account (id),
  version bigint not null default 1,
  mode text not null check (mode in ('credit', 'token_budget')),
  label text,
  status text not null default 'active' check (status in ('active', 'suspended', 'disabled', 'revoked')),
  provider_scope text not null default 'all',
  models text[],
  rpm_limit int check (rpm_limit >= 1),
  expires_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  revoked_at timestamptz,
  check ((status = 'revoked') = (revoked_at is not null))
);
create index key_account on key (account_id);

-- A key without an account is its own. One in a tree is made while nobody changes the tree, so that it has the chain of its place.
create function key_has_account() returns trigger language plpgsql as $$
declare
  a account;
  v_root uuid;
begin
  if new.account_id is null then
    insert into account (id, bucket, path, name, lone)
    values (new.id, new.bucket, array[new.id], coalesce(nullif(left(new.label, 200), ''), new.id::text), true);
    new.account_id := new.id;
    return new;
  end if;
  loop
    v_root := (select path[1] from account where id = new.account_id);
    perform from account where id = v_root for share;
    select * into a from account where id = new.account_id;
    exit when a.path[1] is not distinct from v_root;
  end loop;
  if a.lone then
    raise exception 'account % belongs to one key alone', a.id using errcode = 'check_violation';
  end if;
  if exists (select from account where id = any (a.path) and status = 'closed') then
    raise exception 'account % is closed', a.id using errcode = 'check_violation';
  end if;
  if a.bucket <> new.bucket then
    raise exception 'account % is in bucket %, and the key would be in %', a.id, a.bucket, new.bucket using errcode = 'check_violation';
  end if;
  return new;
end
$$;
create trigger key_has_account before insert on key for each row execute function key_has_account();

-- The secret itself is never stored, only its SHA-256.
create table key_secret (
  digest bytea primary key check (length(digest) = 32),
  key_id uuid not null references key (id),
  -- Where it is looked up. Where the money is says its key.
  bucket bucket not null,
  prefix text not null,
  expires_at timestamptz,
  withdrawn_at timestamptz,
  created_at timestamptz not null default clock_timestamp()
);

create index key_secret_prefix on key_secret (prefix);
create index key_secret_key_id on key_secret (key_id);

create table provider (
  name text primary key,
  base_url text not null,
  -- Where the credential is found. The pattern keeps a credential from being pasted here by mistake.
  credential_ref text not null check (credential_ref ~ '^(env:[A-Z][A-Z0-9_]*|file:/.*|stored|none)$'),
  created_at timestamptz not null default clock_timestamp(),
  -- Of a credential that is stored: which key sealed it. Nonce, tag and ciphertext follow each other in the box, which opens for this row's
  -- name and host alone.
  credential_key_id text check (credential_key_id ~ '^[0-9a-f]{16}$'),
  credential_box bytea check (length(credential_box) between 29 and 65564),
  -- Whether members of a request that nobody here knows are forwarded; null: what is usual at its address.
  unknown_members text check (unknown_members in ('forward', 'drop')),
  open_members text[],
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
  -- What was used and has no number here. While this version is in force nobody is sold the model on credit.
  suspended_for text,
  primary key (model_id, version)
);

create function price_kept() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE'
     and to_jsonb(new) - '{withdrawn_at,suspended_for}'::text[] = to_jsonb(old) - '{withdrawn_at,suspended_for}'::text[]
     and (new.withdrawn_at is not distinct from old.withdrawn_at
          or old.withdrawn_at is null and old.effective_from > clock_timestamp())
     and (new.suspended_for is not distinct from old.suspended_for or old.suspended_for is null) then
    return new;
  end if;
  raise exception 'price % of % is kept as it is', old.version, old.model_id using errcode = 'check_violation';
end
$$;

create trigger price_kept before update or delete on price for each row execute function price_kept();

create table route (
  id uuid primary key default gen_random_uuid(),
  model_id text not null references model (id),
  provider text not null references provider (name),
  upstream_model text not null,
  dialect text not null check (dialect in ('chat', 'responses', 'messages', 'gemini', 'bedrock')),
  conformant boolean not null default false,
  priority int not null default 0,
  weight int not null default 1 check (weight >= 0),
  connect_timeout_ms int not null default 5000 check (connect_timeout_ms >= 1),
  first_byte_timeout_ms int not null default 60000 check (first_byte_timeout_ms >= 1),
  idle_timeout_ms int not null default 60000 check (idle_timeout_ms >= 1),
  concurrency_limit int check (concurrency_limit >= 1),
  unique (model_id, provider, upstream_model, dialect)
);

create index route_provider on route (provider);

-- Every change of a key makes older copies of it recognisable; revocation is for good.
create function key_changed() returns trigger language plpgsql as $$
begin
  if old.status = 'revoked' and new.status <> 'revoked' then
    raise exception 'key % is revoked, which is final', old.id using errcode = 'check_violation';
  end if;
  if new.status = 'revoked' then
    new.revoked_at := coalesce(old.revoked_at, clock_timestamp());
  end if;
  new.version := old.version + 1;
  return new;
end
$$;

create trigger key_changed before update on key for each row execute function key_changed();

create function key_notify() returns trigger language plpgsql as $$
begin
  perform pg_notify('tollgate_keys', coalesce(new.id, old.id)::text);
  return null;
end
$$;

-- Not when the structure above many keys changes: then `account_id` is set to what it is, and one message names the account.
create trigger key_notify after insert or delete
  or update of bucket, version, mode, label, status, provider_scope, models, rpm_limit, expires_at, revoked_at on key
  for each row execute function key_notify();

-- A secret that was withdrawn or given a date makes copies of its key stale, so the key's version grows with it; the
-- update of the key notifies. A secret that is added makes no copy wrong and only notifies.
create function key_secret_changed() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform pg_notify('tollgate_keys', new.key_id::text);
  else
    update key set version = version where id = old.key_id;
  end if;
  return null;
end
$$;

create trigger key_secret_changed after insert or update or delete on key_secret
  for each row execute function key_secret_changed();

-- The catalogue is read whole, so one word per statement is enough.
create function catalogue_notify() returns trigger language plpgsql as $$
begin
  perform pg_notify('tollgate_catalogue', '');
  return null;
end
$$;

create trigger catalogue_notify after insert or update or delete or truncate on provider
  for each statement execute function catalogue_notify();
create trigger catalogue_notify after insert or update or delete or truncate on model
  for each statement execute function catalogue_notify();
create trigger catalogue_notify after insert or update or delete or truncate on price
  for each statement execute function catalogue_notify();
create trigger catalogue_notify after insert or update or delete or truncate on route
  for each statement execute function catalogue_notify();
