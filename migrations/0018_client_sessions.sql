-- Why: people sign in with a client and spend from their own account, without a key that somebody has to hand out.
-- Locks: a moment of `key`, for a column without a value and an index that starts empty, and of `key_session`.

-- A session is a key whose secrets live for an hour: admission, ledger, revocation and records take it as they take any other. Whose it is, is
-- said here; null: a key that has a secret of its own.
alter table key add column person_id uuid references person (id);
create index key_person on key (person_id) where person_id is not null;
alter table key add constraint key_of_person check (person_id is null or mode = 'credit');

-- Neither token is here, only digests. Whether a session has ended is the status of its key.
create table client_session (
  -- The key that it is.
  id uuid primary key references key (id),
  person_id uuid not null references person (id),
  -- Of the part that all tokens of a session have in common: by it a refresh token is recognised that was used long ago.
  family_digest bytea not null unique check (length(family_digest) = 32),
  refresh_digest bytea not null check (length(refresh_digest) = 32),
  -- The refresh token before, and what its successors were derived with: whoever shows it again at once gets the same ones.
  previous_digest bytea check (length(previous_digest) = 32),
  salt bytea check (length(salt) = 32),
  client text not null check (length(client) between 1 and 60),
  agent text not null check (length(agent) <= 120),
  address text not null check (length(address) <= 64),
  created_at timestamptz not null,
  refreshed_at timestamptz not null,
  expires_at timestamptz not null,
  -- Null while it has not, and where its key was revoked.
  ended_because text check (ended_because in ('signed_out', 'ended', 'reused', 'person', 'too_many')),
  check ((previous_digest is null) = (salt is null))
);
create index client_session_person on client_session (person_id);

-- A browser in which somebody showed the access token of a client session has no secret to ask: what it is worth is asked of the session.
alter table key_session alter column secret_digest drop not null;

-- Ends what somebody signed in with. Sessions are locked before keys, and keys in the order in which everybody locks them.
create function client_sessions_end(p_person uuid, p_sessions uuid[], p_because text) returns int language plpgsql as $$
declare
  v_keys uuid[];
begin
  select array_agg(id) into v_keys from (
    select c.id from client_session c
     where c.person_id = p_person and (p_sessions is null or c.id = any (p_sessions)) order by c.id for update
  ) c;
  select array_agg(id) into v_keys from (
    select id from key where id = any (v_keys) and status <> 'revoked' order by id for no key update
  ) k;
  update key set status = 'revoked' where id = any (v_keys);
  update client_session set ended_because = p_because where id = any (v_keys);
  return coalesce(cardinality(v_keys), 0);
end
$$;

-- Whoever is removed, leaves or gets another account is signed out with the same transaction: a session spends from the account that was theirs.
create function person_signed_out() returns trigger language plpgsql as $$
begin
  perform client_sessions_end(new.id, null, 'person');
  return null;
end
$$;

create trigger person_signed_out after update of state, account_id on person for each row
  when (new.state <> 'active' or new.account_id is distinct from old.account_id) execute function person_signed_out();

-- A secret whose time was over makes no copy of its key wrong when it is deleted.
create or replace function key_secret_changed() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform pg_notify('tollgate_keys', new.key_id::text);
  elsif tg_op = 'DELETE' and old.expires_at <= clock_timestamp() then
    return null;
  else
    update key set version = version where id = old.key_id;
  end if;
  return null;
end
$$;
