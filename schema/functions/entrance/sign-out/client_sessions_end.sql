-- Ends what somebody signed in with. Sessions are locked before keys, and keys before balances, each in the order in which everybody locks them.
create or replace function client_sessions_end(p_person uuid, p_sessions uuid[], p_because text) returns int language plpgsql as $$
declare
  v_keys uuid[];
begin
  select array_agg(id) into v_keys from (
    select c.id from client_session c
     where c.person_id = p_person and (p_sessions is null or c.id = any (p_sessions)) order by c.id for update
  ) c;
  select array_agg(id) into v_keys from (
    select id from key where id = any (v_keys) and status <> 'revoked' order by id for no key update
  ) k;
  perform from balance where key_id = any (v_keys) order by key_id for no key update;
  update key set status = 'revoked' where id = any (v_keys);
  update client_session set ended_because = p_because where id = any (v_keys);
  return coalesce(cardinality(v_keys), 0);
end
$$;
