-- Admits one request with all it asks for; false: nothing was done, and the whole rule has to decide. The statement that takes from the balance
-- locks it, and where it had to wait it decides by the row as it is then. What was admitted before is looked for afterwards, in another
-- statement, which sees what happened during the wait. A request that is found is refused with 40T01, and nothing has happened.
create or replace function admitted_alone(
  p_now timestamptz, p_process uuid, p_id uuid, p_key uuid, p_version bigint, p_rpm int, p_chain int, p_least_credits bigint,
  p_most_credits bigint, p_least_tokens bigint, p_most_tokens bigint, p_model int, p_price int, p_lifetime_ms int
) returns boolean language plpgsql
set plan_cache_mode = force_generic_plan set jit = off set enable_seqscan = off set enable_bitmapscan = off
as $$
declare
  v_us bigint := extract(epoch from p_now) * 1000000;
  v_least bigint := coalesce(p_least_credits, p_least_tokens);
  v_most bigint := coalesce(p_most_credits, p_most_tokens);
  v_key_no int;
begin
  perform require_recent(p_id, p_id, p_now);
  update balance
     set held = held + v_most, rate = case when p_rpm is null then rate else rate_added(rate, v_us, 1) end
   where key_id = p_key and version = p_version and chain = p_chain and counters is null and v_most <= posted - held
     -- One unit, and something to hold: a request that is only counted holds nothing.
     and unit = case when p_most_credits is null then 'tokens' else 'credit' end and (p_most_credits is null) <> (p_most_tokens is null)
     and (p_least_credits is null) = (p_most_credits is null) and 0 <= v_least and v_least <= v_most and 0 < v_most
     and period_from <= p_now and p_now < period_ends_at and (p_rpm is null or rate_count(rate, v_us) < p_rpm)
  returning key_no into v_key_no;
  if not found then return false; end if;
  insert into hold (id, key_id, process_id, admitted_at, deadline, credits, tokens, key_no, chain, model, price_version, claimed)
  select p_id, p_key, p_process, p_now, p_now + p_lifetime_ms * interval '1 millisecond', p_most_credits, p_most_tokens, v_key_no,
         p_chain, p_model, p_price, false
   where charged_among(array[p_id], p_id, p_id) = '{}'
  on conflict do nothing;
  if not found then raise exception 'request % was admitted before', p_id using errcode = '40T01'; end if;
  return true;
end
$$;
