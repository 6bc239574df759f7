-- Closes an account and all below it for good. A key below that has not heard of it may start a request meanwhile, which ends as others do.
create or replace function account_close_v1(p_account uuid) returns structure language plpgsql as $$
declare
  a account;
  v_accounts uuid[];
  v_keys uuid[];
  v_why text;
begin
  perform ledger_ready();
  perform trees_locked(array[p_account]);
  select * into a from account where id = p_account;
  if not found or a.lone then return structure_answer('unknown_account'); end if;
  if a.status = 'closed' then return structure_answer('already', null, a.id); end if;
  v_keys := keys_locked(p_account, null);
  v_accounts := array(select id from account where path @> array[p_account]);
  perform from counter where account_id = any (v_accounts) and closed_at is null order by id desc for no key update;
  select coalesce(account_title(c.account_id), key_title(c.key_id)) into v_why
    from counter_anywhere c
   where c.kind = 'purse' and c.closed_at is null and c.posted <> 0
     and (c.account_id = any (v_accounts) or c.key_id in (select id from key where account_id = any (v_accounts)))
   limit 1;
  if v_why is not null then return structure_answer('funded', null, a.id, null, array[v_why]); end if;
  select key_title(h.key_id) into v_why from hold h join key k on k.id = h.key_id where k.account_id = any (v_accounts) limit 1;
  if v_why is not null or exists (select from counter where account_id = any (v_accounts) and closed_at is null and held > 0) then
    return structure_answer('held', null, a.id, null, array[coalesce(v_why, account_title(a.id))]);
  end if;
  update counter set closed_at = ledger_now() where account_id = any (v_accounts) and closed_at is null;
  update account set status = 'closed' where id = any (v_accounts);
  perform structure_changed(p_account, v_keys);
  return structure_answer('done', null, a.id);
end
$$;
