-- A purse must be empty and have nothing reserved. A limit may be closed whenever: requests that hold some of it end as they began. One in a
-- balance must have nothing reserved, since it moves.
create or replace function counter_close_v1(p_counter int) returns structure language plpgsql as $$
declare
  c record;
  a account;
  v_keys uuid[];
begin
  perform ledger_ready();
  select * into c from counter_anywhere where id = p_counter;
  if not found then return structure_answer('unknown_counter', p_counter); end if;
  select * into a from account where id = coalesce(c.account_id, (select account_id from key where id = c.key_id));
  perform trees_locked(array[a.id]);
  if c.key_id is null then
    v_keys := keys_locked(a.id, null);
  else
    v_keys := array[c.key_id];
    perform from key where id = c.key_id for no key update;
    perform from balance where key_id = c.key_id for no key update;
  end if;
  perform from counter where id = p_counter for no key update;
  select * into c from counter_anywhere where id = p_counter;
  if c.closed_at is not null then return structure_answer('already', p_counter, c.account_id, c.key_id); end if;
  if c.own and a.lone then return structure_answer('lone', p_counter, null, c.key_id, array[key_title(c.key_id)]); end if;
  if c.kind = 'purse' and c.posted <> 0 then
    return structure_answer('funded', p_counter, c.account_id, c.key_id, array[coalesce(account_title(c.account_id), key_title(c.key_id))]);
  end if;
  if c.held > 0 and (c.kind = 'purse' or c.own) or c.own and exists (select from hold where key_id = c.key_id) then
    return structure_answer('held', p_counter, c.account_id, c.key_id, array[coalesce(account_title(c.account_id), key_title(c.key_id))]);
  end if;
  if c.own then
    perform own_closed(c.key_id);
  else
    update counter set closed_at = ledger_now(), due = null where id = p_counter;
  end if;
  if c.key_id is null then
    perform structure_changed(c.account_id, v_keys);
  else
    perform keys_rechained(v_keys);
    perform pg_notify('tollgate_keys', c.key_id::text);
  end if;
  return structure_answer('done', p_counter, c.account_id, c.key_id);
end
$$;
