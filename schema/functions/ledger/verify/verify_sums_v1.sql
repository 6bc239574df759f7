-- What all verified days come to, by chain and key and between these beginnings of periods, which are midnights, UTC: the chains after one,
-- and of each all of it.
create or replace function verify_sums_v1(p_after int, p_chains int, p_boundaries timestamptz[])
returns table (chain int, "keyNo" int, era int, charges bigint, requests bigint, credits bigint, tokens bigint, "inputTokens" bigint,
               "outputTokens" bigint)
language sql stable security definer set search_path from current as $$
  with last as (
    select max(n.chain) as chain from (select distinct s.chain from verified_sum s where s.chain > p_after order by 1 limit p_chains) n
  )
  select s.chain, s.key_no, width_bucket(s.admitted::timestamp at time zone 'UTC', p_boundaries), sum(s.charges)::bigint,
         sum(s.requests)::bigint, sum(s.credits)::bigint, sum(s.tokens)::bigint, sum(s.input)::bigint, sum(s.output)::bigint
    from verified_sum s, last where s.chain > p_after and s.chain <= last.chain group by 1, 2, 3
$$;
