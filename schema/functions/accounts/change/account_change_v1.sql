-- Puts an account, with all that is below it, under another of the same bucket, or gives it another name, or both. Null leaves as it is. What
-- was charged stays with the accounts that it was charged to. Money does not go from tree to tree: there, nothing below may have any, or
-- reserve any. Names are nobody's copy, so that nothing else changes with one.
create or replace function account_change_v1(p_account uuid, p_parent uuid, p_name text) returns structure language plpgsql as $$
declare
  a account;
  n account;
  m account;
  v_name text;
  v_moves boolean;
  v_keys uuid[];
  v_why text;
  v_height int;
begin
  perform ledger_ready();
  perform trees_locked(array[p_account, p_parent]);
  select * into a from account where id = p_account;
  if not found or a.lone then return structure_answer('unknown_account'); end if;
  select * into n from account where id = coalesce(p_parent, a.parent_id);
  if p_parent is not null and (n.id is null or n.lone) then return structure_answer('unknown_account'); end if;
  if a.status = 'closed' or (p_parent is not null and n.status = 'closed') then
    return structure_answer('closed', null, a.id, null, array[account_title(case when a.status = 'closed' then a.id else n.id end)]);
  end if;
  v_name := coalesce(p_name, a.name);
  v_moves := a.parent_id is distinct from n.id;
  if not v_moves and v_name = a.name then return structure_answer('already', null, a.id); end if;
  if v_moves then
    if p_account = any (n.path) then return structure_answer('into_itself', null, n.id, null, array[account_title(n.id)]); end if;
    if a.bucket <> n.bucket then return structure_answer('other_bucket', null, n.id, null, array[account_title(n.path[1])]); end if;
    v_height := (select max(cardinality(path)) from account where path @> array[p_account] and status <> 'closed') - cardinality(a.path) + 1;
    if cardinality(n.path) + v_height > 4 then
      return structure_answer('too_deep', null, n.id, null, array[account_title(n.id)], cardinality(n.path) + v_height);
    end if;
    v_keys := keys_locked(p_account, null);
    if a.path[1] <> n.path[1] then
      select coalesce(account_title(c.account_id), key_title(c.key_id)) into v_why
        from counter_anywhere c
       where c.kind = 'purse' and (c.posted <> 0 or c.held <> 0)
         and (c.account_id in (select id from account where path @> array[p_account])
              or c.key_id in (select k.id from key k join account b on b.id = k.account_id where b.path @> array[p_account]))
       limit 1;
      if v_why is not null then return structure_answer('funded', null, a.id, null, array[v_why]); end if;
      select key_title(h.key_id) into v_why
        from hold h join key k on k.id = h.key_id join account b on b.id = k.account_id where b.path @> array[p_account] limit 1;
      if v_why is not null then return structure_answer('held', null, a.id, null, array[v_why]); end if;
    end if;
    -- Closed ones below are moved along and count for the depth, too.
    begin
      update account
         set path = n.path || path[cardinality(a.path):],
             parent_id = case when id = p_account then p_parent else parent_id end,
             name = case when id = p_account then v_name else name end
       where path @> array[p_account];
    exception when check_violation then
      get stacked diagnostics v_why = constraint_name;
      if v_why <> 'account_path_check' then raise; end if;
      return structure_answer('too_deep', null, n.id, null, array[account_title(n.id)], 5);
    end;
    perform require_chains(p_account);
    perform structure_changed(p_account, v_keys);
  else
    update account set name = v_name where id = p_account;
  end if;
  return structure_answer('done', null, a.id);
exception
  when sqlstate 'TG001' then
    get stacked diagnostics v_why = pg_exception_detail;
    return refused_structure(v_why);
  when unique_violation then
    select * into m from account
     where parent_id is not distinct from n.id and lower(name) = lower(v_name) and not lone and status <> 'closed' and id <> p_account;
    return structure_answer('name_taken', null, m.id, null, array[account_title(m.id)]);
end
$$;
