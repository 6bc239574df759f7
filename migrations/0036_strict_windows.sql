-- Why: a provider that cuts an input which is too long says nothing of it, so an operator can have it sent only what certainly fits.
-- Locks: provider, for a moment; its rows are not rewritten.

alter table provider add column context_window text check (context_window in ('strict'));
