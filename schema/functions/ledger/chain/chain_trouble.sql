-- What is wrong with a chain below an account, as the tree is now: two purses, or more than eight counters, whichever models they are for. Null:
-- nothing is.
create or replace function chain_trouble(p_account uuid) returns structure language plpgsql as $$
declare
  r record;
begin
  with below as materialized (
    select a.id, a.path, u.counters, u.purses
      from account a
      cross join lateral (
        select count(*) as counters, array_agg(c.account_id order by array_position(a.path, c.account_id)) filter (where c.kind = 'purse') as purses
          from counter c where c.account_id = any (a.path) and c.closed_at is null
      ) u
     where a.path @> array[p_account] and a.status <> 'closed'
  ), further as materialized (
    select c.key_id, count(*) as counters, count(*) filter (where c.kind = 'purse') as purses
      from counter c where c.key_id is not null and c.closed_at is null group by c.key_id
  ), chains as (
    select id as account_id, null::uuid as key_id, counters, purses, cardinality(purses) as payers from below
    union all
    select b.id, k.id, b.counters + (o.counter is not null)::int + coalesce(f.counters, 0), b.purses,
           coalesce(cardinality(b.purses), 0) + (o.kind = 'purse' and o.counter is not null)::int + coalesce(f.purses, 0)
      from below b join key k on k.account_id = b.id join balance o on o.key_id = k.id left join further f on f.key_id = k.id
     where k.status <> 'revoked'
  )
  select * into r from chains where counters > 8 or payers > 1 order by counters <= 8, key_id nulls first limit 1;
  if not found then return null; end if;
  if r.counters > 8 then
    return structure_answer('too_many_counters', null, r.account_id, r.key_id,
                            array[coalesce(key_title(r.key_id), account_title(r.account_id))], r.counters::int);
  end if;
  return structure_answer('second_purse', null, r.account_id, r.key_id,
                          array(select account_title(p) from unnest(r.purses) p)
                          || case when r.key_id is not null and r.payers > coalesce(cardinality(r.purses), 0) then array[key_title(r.key_id)] end,
                          r.payers::int);
end
$$;
