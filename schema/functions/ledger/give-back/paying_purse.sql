-- The open purse that pays, in a unit, for a key or for what an account has, as the tree is now. Null: none does.
create or replace function paying_purse(p_key uuid, p_account uuid, p_unit text) returns int language sql stable as $$
  select q.id from (
    select b.counter as id from balance b where b.key_id = p_key and b.kind = 'purse' and b.unit = p_unit
    union all
    select c.id from counter c where c.key_id = p_key and c.kind = 'purse' and c.unit = p_unit and c.closed_at is null
    union all
    select c.id
      from account a join counter c on c.account_id = any (a.path)
     where a.id = coalesce(p_account, (select account_id from key where id = p_key))
       and c.kind = 'purse' and c.unit = p_unit and c.closed_at is null
  ) q order by q.id limit 1
$$;
