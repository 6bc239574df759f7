-- Why: models in clouds are called at other addresses, with other bodies, than the format they speak; a provider says which cloud's. Nothing changes for those that are there.
-- Locks: exclusive on provider, for a moment; a column without a default rewrites no row.
-- Compatible: programs from 0039 on.

alter table provider add column platform text
  check (platform ~ '^(vertex|bedrock|azure(:[0-9]{4}-[0-9]{2}-[0-9]{2}(-preview)?)?)$');
