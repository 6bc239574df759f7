-- How people get in: sessions, tokens, identity providers, and sessions of clients.

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

-- What a session is worth is asked of its secret at every use: one that was withdrawn, and a key that may not be used, end it at once. Neither
-- the session nor the secret is here, only their digests.
create table key_session (
  digest bytea primary key check (octet_length(digest) = 32),
  key_id uuid not null,
  -- Null: somebody showed the access token of a client session, which is asked itself.
  secret_digest bytea check (octet_length(secret_digest) = 32),
  expires_at timestamptz not null
);
create index key_session_of_key on key_session (key_id, expires_at);
create index key_session_expiry on key_session (expires_at);

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
  -- Nobody has tokens of it, and it ends with the browser's.
  browser boolean not null default false,
  check ((previous_digest is null) = (salt is null))
);
create index client_session_person on client_session (person_id);

-- A client that waits for its person. The digest is the SHA-256 of the code that the client polls with; what the person types is here as it
-- is, good for minutes and worth nothing without a sign-in.
create table device_grant (
  id uuid primary key,
  device_digest bytea not null unique check (length(device_digest) = 32),
  user_code text not null unique check (user_code ~ '^[BCDFGHJKLMNPQRSTVWXZ]{8}$'),
  state text not null default 'pending' check (state in ('pending', 'approved', 'denied', 'used')),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- Where the client said it is, and what counts as one place; null: not known.
  address text check (length(address) <= 64),
  place text check (length(place) <= 64),
  agent text not null check (length(agent) <= 120),
  -- How often its code was typed, and when the client asked last.
  tries int not null default 0,
  polled_at timestamptz,
  -- Who signed in with the code, and the digest of what their browser got: only this browser decides.
  person_id uuid references person (id),
  answer_digest bytea unique check (length(answer_digest) = 32),
  check (state in ('pending', 'denied') or person_id is not null)
);
create index device_grant_expires on device_grant (expires_at);
create index device_grant_place on device_grant (place, expires_at) where place is not null;
