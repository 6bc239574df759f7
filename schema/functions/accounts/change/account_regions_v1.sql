-- Says in which regions the requests of keys of an account, and of those below it, may run. Null: anywhere.
create or replace function account_regions_v1(p_account uuid, p_regions text[]) returns structure language plpgsql as $$
declare
  a account;
  v_keys uuid[];
begin
  perform ledger_ready();
  perform trees_locked(array[p_account]);
  select * into a from account where id = p_account;
  if not found or a.lone then return structure_answer('unknown_account'); end if;
  if a.status = 'closed' then return structure_answer('closed', null, a.id, null, array[account_title(a.id)]); end if;
  if a.regions is not distinct from p_regions then return structure_answer('already', null, a.id); end if;
  v_keys := keys_locked(p_account, null);
  update account set regions = p_regions where id = p_account;
  perform structure_changed(p_account, v_keys);
  return structure_answer('done', null, a.id);
end
$$;
