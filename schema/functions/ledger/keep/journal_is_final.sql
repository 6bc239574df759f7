-- What is written down in the journal stays as it is.
create or replace function journal_is_final() returns trigger language plpgsql as $$
begin
  raise exception '% is a journal: rows are added, never changed or removed', tg_table_name using errcode = 'restrict_violation';
end
$$;
