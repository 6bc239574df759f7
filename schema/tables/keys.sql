-- Keys, and their secrets.

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
  -- A session is a key whose secrets live for an hour: admission, ledger, revocation and records take it as they take any other. Whose it is,
  -- is said here; null: a key that has a secret of its own.
  person_id uuid references person (id),
  constraint key_of_person check (person_id is null or mode = 'credit'),
  -- Which tiers it may ask for beside the usual one; null: all that are sold.
  tiers text[],
  -- The regions of routes that its requests may run in; null: anywhere.
  regions text[],
  check ((status = 'revoked') = (revoked_at is not null))
);
create index key_account on key (account_id);
create index key_person on key (person_id) where person_id is not null;
create trigger key_has_account before insert on key for each row execute function key_has_account();
create trigger key_changed before update on key for each row execute function key_changed();
create trigger key_balance after insert or update on key for each row execute function key_balance();
-- Not when the structure above many keys changes: then `account_id` is set to what it is, and one message names the account.
create trigger key_notify after insert or delete
  or update of bucket, version, mode, label, status, provider_scope, models, tiers, regions, rpm_limit, expires_at, revoked_at on key
  for each row execute function key_notify();

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

create trigger key_secret_changed after insert or update or delete on key_secret
  for each row execute function key_secret_changed();
