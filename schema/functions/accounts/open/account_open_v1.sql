-- A new account, with an id that its caller has made: repeated, the call changes nothing.
create or replace function account_open_v1(p_id uuid, p_parent uuid, p_name text, p_kind text, p_bucket int) returns structure language plpgsql as $$
declare
  a account;
  m account;
begin
  perform ledger_ready();
  perform trees_locked(array[p_parent]);
  select * into m from account where id = p_id;
  if found then
    return structure_answer(case when m.parent_id is not distinct from p_parent and m.name = p_name then 'already' else 'id_taken' end, null, p_id);
  end if;
  if p_parent is not null then
    select * into a from account where id = p_parent;
    if not found or a.lone then return structure_answer('unknown_account'); end if;
    if a.status = 'closed' then return structure_answer('closed', null, a.id, null, array[account_title(a.id)]); end if;
    if cardinality(a.path) = 4 then return structure_answer('too_deep', null, a.id, null, array[account_title(a.id)], 5); end if;
  end if;
  insert into account (id, bucket, parent_id, path, name, kind)
  values (p_id, coalesce(a.bucket, p_bucket), p_parent, coalesce(a.path, '{}') || p_id, p_name, p_kind);
  return structure_answer('done', null, p_id);
exception when unique_violation then
  select * into m from account
   where parent_id is not distinct from p_parent and lower(name) = lower(p_name) and not lone and status <> 'closed';
  return structure_answer('name_taken', null, m.id, null, array[account_title(m.id)]);
end
$$;
