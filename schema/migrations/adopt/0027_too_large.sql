alter table notice drop constraint notice_cause_check,
  add constraint notice_cause_check check (cause in ('used', 'left', 'refused', 'too_large') and (cause = 'too_large') = (value = -1));
