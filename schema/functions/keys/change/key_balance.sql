-- A key has a balance from its first moment and shares its version, in the same transaction. One that is its own account has a counter of
-- its own: a purse of credits or a limit of tokens. One in a tree is paid for by those above it, until it is given one.
create or replace function key_balance() returns trigger language plpgsql as $$
declare
  a account;
  v_unit text := case new.mode when 'credit' then 'credit' else 'tokens' end;
begin
  if tg_op = 'UPDATE' then
    update balance set version = new.version, bucket = new.bucket where key_id = new.id;
    return null;
  end if;
  select * into a from account where id = new.account_id;
  insert into balance (key_id, key_no, bucket, version, mode_unit, chain, counter, kind, unit, period)
  select new.id, new.no, new.bucket, new.version, v_unit, 0, o.counter, o.kind, case when o.counter is not null then v_unit end,
         case o.kind when 'limit' then 'month' else 'none' end
    from (select case when a.lone then nextval('counter_id')::int end as counter,
                 case when not a.lone then null when v_unit = 'credit' then 'purse' else 'limit' end as kind) o;
  perform keys_chained(array[new.id]);
  return null;
end
$$;
