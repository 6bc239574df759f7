-- Why: a key holder's browser shows its key once and gets a session, so that no script holds a key.
-- Locks: none on tables that anybody uses.

-- What a session is worth is asked of its secret at every use: one that was withdrawn, and a key that may not be used, end it at once. Neither
-- the session nor the secret is here, only their digests.
create table key_session (
  digest bytea primary key check (octet_length(digest) = 32),
  key_id uuid not null,
  secret_digest bytea not null check (octet_length(secret_digest) = 32),
  expires_at timestamptz not null
);

create index key_session_of_key on key_session (key_id, expires_at);
create index key_session_expiry on key_session (expires_at);
