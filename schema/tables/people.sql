-- People who operate the gateway or spend from an account of their own, and what they may do.

-- Somebody who operates the gateway. The row of one who was removed stays: the audit log names it.
create table person (
  id uuid primary key,
  email text not null check (email = lower(email) and length(email) between 3 and 254),
  name text not null check (length(name) between 1 and 200),
  state text not null default 'active' check (state in ('active', 'removed')),
  -- The account that is theirs: what they themselves spend.
  account_id uuid references account (id),
  -- argon2id as a PHC string; null: they sign in through SSO, or not at all yet.
  password_hash text,
  created_at timestamptz not null,
  removed_at timestamptz,
  last_seen_at timestamptz,
  -- Since when all that they sign in with is suspended, because the house bore more of them than the cap allows; null: it is not.
  capped_at timestamptz,
  check ((state = 'removed') = (removed_at is not null)),
  check (state = 'active' or password_hash is null)
);
create unique index person_email on person (email) where state = 'active';
create index person_account on person (account_id) where account_id is not null;

-- What a person may do. Without an account it holds everywhere, else for the account and what is below it. `sso`: it follows from the groups of
-- the identity provider, and is replaced when they are read again.
create table role_grant (
  id bigint generated always as identity primary key,
  person_id uuid not null references person (id),
  role text not null check (role in ('owner', 'operator', 'billing', 'viewer', 'auditor')),
  account_id uuid references account (id),
  source text not null default 'given' check (source in ('given', 'sso'))
);
create unique index role_grant_once on role_grant (person_id, role, coalesce(account_id, '00000000-0000-0000-0000-000000000000'), source);
create index role_grant_account on role_grant (account_id) where account_id is not null;
create trigger person_signed_out after update of state, account_id on person for each row
  when (new.state <> 'active' or new.account_id is distinct from old.account_id) execute function person_signed_out();
