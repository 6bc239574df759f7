-- Moves a key out of one of these states; false: it was in none. A session that becomes active brings along the others of its person that a
-- cap suspended, and whatever they sign in with next.
create or replace function key_status_v1(p_key uuid, p_from text[], p_to text) returns boolean language plpgsql as $$
declare
  v_person uuid;
  v_keys uuid[] := array[p_key];
begin
  if p_to = 'active' then
    select p.id into v_person from person p
     where p.capped_at is not null and p.id = (select payer_of(id, person_id, account_id) from key where id = p_key and status = any (p_from))
       for no key update;
    v_keys := v_keys || array(select id from key where person_id = v_person and status = 'suspended');
  end if;
  perform from key where id = any (v_keys) order by id for no key update;
  perform from balance where key_id = any (v_keys) order by key_id for no key update;
  update key set status = p_to where id = p_key and status = any (p_from);
  if not found then return false; end if;
  update key set status = p_to where id = any (v_keys) and id <> p_key and status = 'suspended';
  update person set capped_at = null where id = v_person;
  return true;
end
$$;
