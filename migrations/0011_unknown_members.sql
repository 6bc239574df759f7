-- What a provider is told of members of a request that nobody here knows; null: what is usual at its address.
alter table provider
  add column unknown_members text check (unknown_members in ('forward', 'drop')),
  add column open_members text[];
