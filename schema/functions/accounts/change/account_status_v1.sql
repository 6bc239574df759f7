-- Suspends, disables or resumes an account, and with it all that is below it.
create or replace function account_status_v1(p_account uuid, p_status text) returns structure language plpgsql as $$
declare
  a account;
  v_keys uuid[];
begin
  if p_status not in ('active', 'suspended', 'disabled') then
    raise exception 'no such status' using errcode = 'invalid_parameter_value';
  end if;
  perform ledger_ready();
  perform trees_locked(array[p_account]);
  select * into a from account where id = p_account;
  if not found or a.lone then return structure_answer('unknown_account'); end if;
  if a.status = 'closed' then return structure_answer('closed', null, a.id, null, array[account_title(a.id)]); end if;
  if a.status = p_status then return structure_answer('already', null, a.id); end if;
  v_keys := keys_locked(p_account, null);
  update account set status = p_status where id = p_account;
  perform structure_changed(p_account, v_keys);
  return structure_answer('done', null, a.id);
end
$$;
