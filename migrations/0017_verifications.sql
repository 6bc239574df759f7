-- Why: operators see when the ledger was last verified, by whom, and what came of it.
-- Locks: only the table it creates.

-- What a verification checked and found. The figures that differ are told to whoever asked for it; here is how many there were.
create table verification (
  id uuid primary key,
  started_at timestamptz not null,
  took_ms bigint not null check (took_ms >= 0),
  actor text not null check (length(actor) <= 320),
  -- Null: the whole ledger.
  key_id uuid,
  -- Whether amounts were computed again from their prices.
  recompute boolean not null,
  keys bigint not null,
  counters bigint not null,
  holds bigint not null,
  quarantined bigint not null,
  charges bigint not null,
  fundings bigint not null,
  recomputed bigint not null,
  mismatches bigint not null,
  -- Whether there were more mismatches than are counted.
  truncated boolean not null
);
create index verification_whole on verification (started_at desc) where key_id is null;
create index verification_started on verification (started_at desc);
