-- Why: people who operate the gateway: who they are, what they may do and where, and how they prove it.
-- Locks: only the tables it creates, which nobody can be using yet, and account for its references.

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

-- A browser that somebody signed in with. The digest is the SHA-256 of what the cookie has.
create table session (
  digest bytea primary key check (length(digest) = 32),
  id uuid not null unique,
  person_id uuid not null references person (id),
  via text not null check (via in ('password', 'sso')),
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at timestamptz not null,
  address text not null check (length(address) <= 64),
  agent text not null check (length(agent) <= 120)
);
create index session_person on session (person_id);
create index session_expires on session (expires_at);

-- For programs that act as a person. It can do what its person can do now, less what it was narrowed to.
create table personal_token (
  id uuid primary key,
  digest bytea not null unique check (length(digest) = 32),
  prefix text not null,
  person_id uuid not null references person (id),
  name text not null check (length(name) between 1 and 200),
  role text check (role in ('owner', 'operator', 'billing', 'viewer', 'auditor')),
  account_id uuid references account (id),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  last_used_at timestamptz,
  revoked_at timestamptz,
  check (expires_at <= created_at + interval '366 days')
);
create index personal_token_person on personal_token (person_id);

-- Failed sign-ins in a window of time, by what they have in common: an email, an address, or both. Digests, so that a mistyped password in the
-- field of the email is kept nowhere.
create table sign_in_failure (
  subject bytea primary key check (length(subject) = 32),
  failures int not null,
  ends_at timestamptz not null
);
create index sign_in_failure_ends on sign_in_failure (ends_at);

-- The token that makes the first owner, printed when a gateway starts that nobody operates yet. There is one at most.
create table setup (
  one boolean primary key default true check (one),
  digest bytea not null check (length(digest) = 32),
  expires_at timestamptz not null
);

-- Who a person is at an identity provider. The refresh token is sealed as credentials of providers are.
create table identity (
  issuer text not null,
  subject text not null,
  person_id uuid not null references person (id),
  refresh_key_id text check (refresh_key_id ~ '^[0-9a-f]{16}$'),
  refresh_box bytea check (length(refresh_box) between 29 and 65564),
  groups text[] not null default '{}',
  checked_at timestamptz not null,
  -- When the provider is asked next, how often that failed in a row, and until when a process is at it.
  due_at timestamptz not null,
  failures int not null default 0,
  claimed_until timestamptz,
  -- Since when the provider refuses them, or they are in no group that may sign in.
  left_at timestamptz,
  -- Their account is to be suspended; and it was, because they left: when they come back, it is resumed.
  suspend_due boolean not null default false,
  suspended boolean not null default false,
  -- The team and the monthly limit in nano-credits that groups led to last. What operators changed since stays.
  team_id uuid references account (id),
  monthly bigint,
  primary key (issuer, subject),
  check ((refresh_key_id is null) = (refresh_box is null))
);
create index identity_person on identity (person_id);
create index identity_due on identity (due_at) where refresh_box is not null and left_at is null;
create index identity_suspend_due on identity (issuer) where suspend_due;

-- A sign-in through an identity provider that has begun and has not come back yet.
create table oidc_attempt (
  state_digest bytea primary key check (length(state_digest) = 32),
  nonce text not null,
  verifier text not null,
  return_to text not null,
  expires_at timestamptz not null
);
create index oidc_attempt_expires on oidc_attempt (expires_at);
