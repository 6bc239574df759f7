-- Moves all that a closed purse has to the open one that pays for this key or this account; without either, for the holder it was of.
create or replace function closed_purse_moved_v1(p_from int, p_key uuid, p_account uuid, p_actor text)
returns table (result text, unit text, amount bigint, counter int) language plpgsql as $$
#variable_conflict use_column
declare
  c counter;
  v_to int;
  v_key uuid;
  v_now timestamptz;
begin
  perform ledger_ready();
  select * into c from counter where id = p_from and kind = 'purse' and closed_at is not null;
  result := case when c.id is null and exists (select from counter_anywhere where id = p_from) then 'not_closed'
                 when c.id is null then 'unknown_counter' end;
  if result is null then
    v_to := case when p_key is null and p_account is null then paying_purse(c.key_id, c.account_id, c.unit)
                 else paying_purse(p_key, p_account, c.unit) end;
    v_key := (select b.key_id from balance b where b.counter = v_to);
    v_now := locked(case when v_key is null then '{}' else array[v_key] end, array[p_from, v_to]);
    select * into c from counter where id = p_from;
    unit := c.unit;
    -- One that was closed meanwhile is told as if it had been closed before.
    result := case when c.posted = c.held then 'empty'
                   when v_to is null
                        or not purse_passed(p_from, v_to, c.posted - c.held, '#moved:' || p_from || ':' || c.fundings + 1, p_actor, v_now)
                   then 'no_purse' else 'moved' end;
  end if;
  if result = 'moved' then
    amount := c.posted - c.held;
    counter := v_to;
  end if;
  return next;
end
$$;
