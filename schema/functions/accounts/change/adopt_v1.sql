-- Takes a key that is its own account into a tree, with the secrets it has. Its purse must be empty, and is closed with its account; a limit
-- stays with it, unless nothing can be spent by it. Its secrets are looked up where they were; its money is where the tree's is.
create or replace function adopt_v1(p_key uuid, p_account uuid) returns structure language plpgsql as $$
declare
  k key;
  a account;
  n account;
  b balance;
  v_why text;
begin
  perform ledger_ready();
  perform trees_locked(array[p_account, (select account_id from key where id = p_key)]);
  perform from key where id = p_key for no key update;
  select * into k from key where id = p_key;
  if not found then return structure_answer('unknown_key'); end if;
  select * into b from balance where key_id = p_key for no key update;
  select * into a from account where id = k.account_id;
  select * into n from account where id = p_account;
  if n.id is null or n.lone then return structure_answer('unknown_account'); end if;
  if k.account_id = p_account then return structure_answer('already', null, p_account, p_key); end if;
  if not a.lone then return structure_answer('not_lone', null, a.id, p_key, array[account_title(a.id)]); end if;
  if k.status = 'revoked' then return structure_answer('revoked', null, null, p_key, array[key_title(p_key)]); end if;
  if exists (select from account where id = any (n.path) and status = 'closed') then
    return structure_answer('closed', null, n.id, null, array[account_title(n.id)]);
  end if;
  if exists (select from counter_anywhere where key_id = p_key and kind = 'purse' and posted <> 0 and closed_at is null) then
    return structure_answer('funded', b.counter, null, p_key, array[key_title(p_key)]);
  end if;
  if b.held > 0 or exists (select from hold where key_id = p_key) then
    return structure_answer('held', b.counter, null, p_key, array[key_title(p_key)]);
  end if;
  if b.kind = 'purse' or b.amount = 0 then perform own_closed(p_key); end if;
  update counter set closed_at = ledger_now(), due = null where key_id = p_key and kind = 'purse' and closed_at is null;
  update counter set bucket = n.bucket where key_id = p_key and closed_at is null;
  update key set account_id = p_account, bucket = n.bucket where id = p_key;
  update account set status = 'closed' where id = a.id;
  perform require_chains(p_account);
  if not exists (
    select from counter_anywhere c
     where (c.key_id = p_key or c.account_id = any (n.path)) and c.closed_at is null and c.models is null and c.unit = b.mode_unit
  ) then
    raise exception 'nothing to pay with' using errcode = 'TG001',
      detail = to_jsonb(structure_answer('no_counter', null, n.id, p_key, array[b.mode_unit::text]))::text;
  end if;
  perform keys_chained(array[p_key]);
  return structure_answer('done', null, p_account, p_key);
exception when sqlstate 'TG001' then
  get stacked diagnostics v_why = pg_exception_detail;
  return refused_structure(v_why);
end
$$;
