-- Suspends keys that have crossed a cap, and all that the same person pays for: they would go on with another session. A person is locked
-- before keys, and keys before balances.
create or replace function suspend_v1(p_key uuid[]) returns setof uuid language plpgsql as $$
declare
  v_people uuid[];
  v_keys uuid[];
begin
  perform ledger_ready();
  select array_agg(id) into v_people from (
    select id from person where id in (select payer_of(id, person_id, account_id) from key where id = any (p_key)) order by id for no key update
  ) p;
  update person set capped_at = ledger_now() where id = any (v_people);
  v_keys := p_key || array(
    select k.id from key k
     where (k.person_id = any (v_people) or k.account_id in (select account_id from person where id = any (v_people)))
       and payer_of(k.id, k.person_id, k.account_id) = any (v_people)
  );
  perform from key where id = any (v_keys) order by id for no key update;
  perform from balance where key_id = any (v_keys) order by key_id for no key update;
  return query update key set status = 'suspended' where id = any (v_keys) and status = 'active' returning id;
end
$$;
