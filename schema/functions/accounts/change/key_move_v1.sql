-- Puts a key under another account of its tree. Its open requests end with the chain that they began with.
create or replace function key_move_v1(p_key uuid, p_account uuid) returns structure language plpgsql as $$
declare
  k key;
  a account;
  n account;
  v_why text;
begin
  perform ledger_ready();
  perform trees_locked(array[p_account, (select account_id from key where id = p_key)]);
  perform from key where id = p_key for no key update;
  select * into k from key where id = p_key;
  if not found then return structure_answer('unknown_key'); end if;
  perform from balance where key_id = p_key for no key update;
  select * into a from account where id = k.account_id;
  select * into n from account where id = p_account;
  if n.id is null or n.lone then return structure_answer('unknown_account'); end if;
  if k.account_id = p_account then return structure_answer('already', null, p_account, p_key); end if;
  if a.lone then return structure_answer('lone', null, null, p_key, array[key_title(p_key)]); end if;
  if a.path[1] <> n.path[1] then return structure_answer('other_tree', null, n.id, p_key, array[account_title(a.path[1]), account_title(n.path[1])]); end if;
  if exists (select from account where id = any (n.path) and status = 'closed') then
    return structure_answer('closed', null, n.id, null, array[account_title(n.id)]);
  end if;
  update key set account_id = p_account where id = p_key;
  perform require_chains(p_account);
  perform keys_chained(array[p_key]);
  perform pg_notify('tollgate_keys', p_key::text);
  return structure_answer('done', null, p_account, p_key);
exception when sqlstate 'TG001' then
  get stacked diagnostics v_why = pg_exception_detail;
  return refused_structure(v_why);
end
$$;
