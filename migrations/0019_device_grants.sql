-- Why: a client without a browser asks for a session, and its person approves that in a browser, at any process of the gateway.
-- Locks: only the table it creates, which nobody can be using yet, and person for its reference.

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
