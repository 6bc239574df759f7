-- The chain of requests that only some counters see, because the models of the others do not match. Null: the key is of another version now.
create or replace function chain_v1(p_key uuid, p_version bigint, p_counters int[]) returns int language plpgsql as $$
declare
  b balance;
begin
  select * into b from balance where key_id = p_key for share;
  if not found or b.version <> p_version then return null; end if;
  if not p_counters <@ coalesce(b.counters, '{}') then raise exception 'no such counter' using errcode = 'invalid_parameter_value'; end if;
  return chain_of(p_key, b.key_no, (select accounts from chain where id = b.chain), coalesce(b.counter, 0),
                  array(select distinct c from unnest(p_counters) c order by c));
end
$$;
