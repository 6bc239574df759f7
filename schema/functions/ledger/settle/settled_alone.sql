-- Settles one completed request at the price it came with, which its hold covers; false: nothing was done, and the whole rule has to decide.
-- The balance is locked by its change, which reads of the hold what never changes. The hold is the right to charge: whoever deletes it writes
-- the charge. One that somebody else has deleted during the wait is refused with 40T01, and nothing has happened.
create or replace function settled_alone(
  p_now timestamptz, p_id uuid, p_key uuid, p_credits bigint, p_tokens bigint, p_input int, p_cache_read int, p_cache_write int,
  p_cache_write_1h int, p_output int, p_reasoning int, p_tools jsonb, p_provider int, p_status int, p_first_byte_ms int, p_took_ms int,
  p_estimated boolean, p_digest bytea, p_served int, p_more jsonb
) returns boolean language plpgsql
set plan_cache_mode = force_generic_plan set jit = off set enable_seqscan = off set enable_bitmapscan = off
as $$
declare
  v_day date := (p_now at time zone 'UTC')::date;
  v_soon date := ((p_now + interval '1 hour') at time zone 'UTC')::date;
  e record;
begin
  update balance b
     set posted = case b.kind when 'purse' then b.posted - h.paid
                              else greatest(b.amount + b.refunded - b.used - h.paid + b.older_held, b.held - h.released) end,
         held = b.held - h.released, used = b.used + h.paid,
         spent = b.spent + case b.unit when 'credit' then h.paid else 0 end,
         today = case when b.today between v_day + 1 and v_soon then b.today else v_day end,
         today_spend = case when b.today between v_day + 1 and v_soon then b.today_spend
                            when b.today = v_day then b.today_spend + h.paid else h.paid end,
         last_cost = h.paid, requests = b.requests + 1, tokens_in = b.tokens_in + coalesce(p_input, 0),
         tokens_out = b.tokens_out + coalesce(p_output, 0)
    from (
      select *, case when credits is null then 'tokens' else 'credit' end as unit, coalesce(credits, tokens) as released,
             case when credits is null then p_tokens else p_credits end as paid
        from hold
       where id = p_id and key_id = p_key and counters is null and not claimed and (credits is null) <> (tokens is null)
    ) h
   where b.key_id = p_key and b.unit = h.unit and b.mode_unit = h.unit and h.paid between 0 and h.released
     and h.admitted_at >= b.period_from
     -- What was ended during the wait is held no longer.
     and b.held - h.released >= b.older_held
  returning b.counter, case b.kind when 'limit' then b.used - b.refunded >= b.due else b.posted <= b.due end as fires, h.admitted_at,
            h.credits, h.tokens, h.paid, h.key_no, h.chain, h.model, h.price_version into e;
  if not found then return false; end if;
  delete from hold where id = p_id;
  if not found then raise exception 'request % was ended before', p_id using errcode = '40T01'; end if;
  insert into charge (hold_id, admitted_at, at, granted_credits, granted_tokens, credits, tokens, key_no, chain, model, price_version, input,
                      cache_read, cache_write, cache_write_1h, output, reasoning, took_ms, first_byte_ms, provider, status, kind, estimated,
                      reported, tools, digest, served, more)
  values (p_id, e.admitted_at, p_now, e.credits, e.tokens, case when e.credits is not null then e.paid end,
          case when e.tokens is not null then e.paid end, e.key_no, e.chain, e.model, e.price_version, coalesce(p_input, 0),
          nullif(p_cache_read, 0), nullif(p_cache_write, 0), nullif(p_cache_write_1h, 0), coalesce(p_output, 0), nullif(p_reasoning, 0),
          p_took_ms, p_first_byte_ms, p_provider, p_status, 1, coalesce(p_estimated, false), p_provider is not null, p_tools, p_digest,
          p_served, p_more);
  if e.fires then perform thresholds_passed(array[e.counter], p_now); end if;
  return true;
end
$$;
