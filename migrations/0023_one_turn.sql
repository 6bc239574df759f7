-- Why: what a flush ends and what it begins cost one call and one commit instead of two, and the balances of both are locked in one order.
-- Locks: none on tables; it creates a function.

-- Settles, then admits, all or nothing; money that a settlement gives back is there for the requests that begin. Either half may be
-- empty: its arrays are then null. `half` says which a row answers: `settle`, as `settle_v2` says it, or `admit`, as `admit_v2` does.
create function turn_v1(
  p_process uuid,
  p_end_id uuid[], p_end_key uuid[], p_outcome text[], p_charge bigint[], p_in bigint[], p_out bigint[], p_cache_read bigint[],
  p_cache_write bigint[], p_reasoning bigint[], p_delivered boolean[], p_provider text[], p_status int[], p_first_byte_ms int[],
  p_took_ms int[], p_estimated boolean[], p_answer_status int[], p_answer_type text[], p_answer_body bytea[], p_absorbed bigint[],
  p_waived bigint[], p_cap bigint[],
  p_id uuid[], p_key uuid[], p_version bigint[], p_rpm int[], p_least bigint[], p_most bigint[], p_unlimited boolean[], p_model text[],
  p_price int[], p_lifetime_ms int[], p_sha bytea[], p_print bytea[]
) returns table (
  half text, place int, result text, amount bigint, posted bigint, held bigint, retry_after_ms bigint, period_ends_at timestamptz
) language plpgsql
set plan_cache_mode = force_generic_plan set jit = off set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off
as $$
#variable_conflict use_column
begin
  perform ledger_ready();
  perform from balance where key_id = any (p_end_key || p_key) order by key_id for no key update;
  if cardinality(p_end_id) > 0 then
    return query
      select 'settle', s.place, s.result, s.charged, null::bigint, null::bigint, null::bigint, null::timestamptz
        from settle_v2(p_end_id, p_end_key, p_outcome, p_charge, p_in, p_out, p_cache_read, p_cache_write, p_reasoning, p_delivered,
                       p_provider, p_status, p_first_byte_ms, p_took_ms, p_estimated, p_answer_status, p_answer_type, p_answer_body,
                       p_absorbed, p_waived, p_cap) s;
  end if;
  if cardinality(p_id) > 0 then
    return query
      select 'admit', a.place, a.verdict, a.amount, a.posted, a.held, a.retry_after_ms, a.period_ends_at
        from admit_v2(p_process, p_id, p_key, p_version, p_rpm, p_least, p_most, p_unlimited, p_model, p_price, p_lifetime_ms, p_sha,
                      p_print) a;
  end if;
end
$$;
