-- What processes have in flight. The tables are unlogged: they are empty after a crash and on a promoted standby, and their rows are written
-- anew every second while somebody watches. Nothing of the ledger depends on them.

-- Processes publish until then. One row.
create unlogged table live_watch (
  one boolean primary key default true check (one),
  until timestamptz not null
);

-- What each process has in flight, as it said last. A process that says nothing for three seconds is not shown.
create unlogged table live_process (
  id uuid primary key,
  at timestamptz not null,
  -- The oldest first, and how many there are beside these.
  in_flight json not null,
  more int not null,
  -- What has ended in the last seconds, numbered without gaps from the start of the process.
  finished json not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 100, toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 1000);

-- A request that an operator wants ended. The process that serves it finds it here: a notification alone ends nothing, since any role can send one.
create unlogged table live_cancel (
  request uuid primary key,
  at timestamptz not null,
  state text not null check (state in ('asked', 'cancelled', 'ending'))
);
