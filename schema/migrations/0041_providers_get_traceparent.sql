-- Why: a provider that writes spans of its own can be sent the trace context of each call. Nothing changes for those that are there.
-- Locks: exclusive on provider, for a moment; a column without a default rewrites no row.
-- Compatible: programs from 0039 on.

alter table provider add column traceparent text check (traceparent in ('send'));
