-- Why: records are written every second, and adding each of them to all of its series cost ten times as much as writing it. Sums are now added
-- less often, many records at once. Until then it is written down that they are owed, with the records and in the same transaction, so that
-- series come to what the records come to whatever happens to a process.
-- Locks: only the table it creates. Versions before this one add to the series with the records, and owe nothing.
create table series_owed (
  -- The first of the records that were written together.
  batch uuid primary key,
  -- All of them.
  requests uuid[] not null,
  at timestamptz not null default now()
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500, toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 2000);
-- Random bytes do not get smaller.
alter table series_owed alter column requests set storage external;
