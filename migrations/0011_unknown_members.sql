-- Why: a provider is told of members of a request that nobody here knows only if its row says so; null: what is usual at its address.
-- Locks: `provider`, exclusively, for the moment in which it gets its columns; no row is read or written.
alter table provider
  add column unknown_members text check (unknown_members in ('forward', 'drop')),
  add column open_members text[];
