-- A turn of one request that starts, of a key without further counters. Null: nothing was done, and `turn_v1` has to decide. Otherwise it is
-- admitted with all it asks for, and where its requests are limited the answer says how many the last minute counts, and how long until none.
create or replace function admit_turn_v1(
  p_mark uuid, p_process uuid, p_id uuid, p_key uuid, p_version bigint, p_rpm int, p_chain int, p_least_credits bigint, p_most_credits bigint,
  p_least_tokens bigint, p_most_tokens bigint, p_model int, p_price int, p_lifetime_ms int
) returns bigint[] language plpgsql as $$
declare
  v_now timestamptz;
  v_us bigint;
begin
  perform ledger_ready(p_mark);
  v_now := ledger_now();
  if not admitted_alone(v_now, p_process, p_id, p_key, p_version, p_rpm, p_chain, p_least_credits, p_most_credits, p_least_tokens,
                        p_most_tokens, p_model, p_price, p_lifetime_ms) then
    return null;
  end if;
  if p_rpm is null then return '{}'; end if;
  v_us := extract(epoch from v_now) * 1000000;
  return (select array[rate_count(rate, v_us), rate_wait_ms(rate, 0, v_us)] from balance where key_id = p_key);
end
$$;
