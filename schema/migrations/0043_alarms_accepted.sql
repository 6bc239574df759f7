-- Why: an operator can accept a kind of money alarm for one model. Nothing is accepted at first.
-- Locks: exclusive on model, for a moment; a constant default rewrites no row.
-- Compatible: programs from 0039 on.
-- Programs of before do not read it: they raise every alarm.

alter table model
  add column accepted_alarms jsonb not null default '{}' check (jsonb_typeof(accepted_alarms) = 'object');
