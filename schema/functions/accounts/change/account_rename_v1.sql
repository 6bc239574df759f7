-- Names are nobody's copy, so that nothing else changes with one.
create or replace function account_rename_v1(p_account uuid, p_name text) returns structure language sql as $$
  select account_change_v1(p_account, null, p_name)
$$;
