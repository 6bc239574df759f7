-- Writes nothing: a period or a day that has ended is shown as ended. `counters` are those of the key's chain, its own first and then from the
-- account next to it up to the root; amounts in them are text, which no double rounds.
create or replace function usage_v1(p_key uuid) returns table (
  mode_unit text, spent bigint, today_spend bigint, last_cost bigint, requests bigint, tokens_in bigint, tokens_out bigint, counters jsonb
) language sql volatile as $$
  select b.mode_unit, b.spent, case when b.today = (t.now at time zone 'UTC')::date then b.today_spend else 0 end, b.last_cost, b.requests,
         b.tokens_in, b.tokens_out,
         (select coalesce(jsonb_agg(jsonb_build_object(
                   'id', c.id, 'own', c.own, 'account', a.id, 'holder', a.name, 'kind', c.kind, 'unit', c.unit, 'models', c.models,
                   'amount', c.amount::text, 'period', c.period,
                   'posted', (case when c.turned then c.amount else c.posted - c.older_held end)::text,
                   'held', (case when c.turned then 0 else c.held - c.older_held end)::text,
                   'used', (case when c.turned then 0 else c.used end)::text, 'funded', c.funded::text,
                   'refunded', (case when c.turned then 0 else c.refunded end)::text,
                   'renewsAt', nullif(case when c.turned then period_end(c.period, t.now) else c.period_ends_at end, 'infinity')
                 ) order by not c.own, c.key_id is null, cardinality(a.path) desc, c.id), '[]')
            from (select k.*, t.now >= k.period_ends_at as turned from counter_anywhere k
                   where k.id = b.counter or k.id = any (b.counters)) c
            left join account a on a.id = c.account_id)
    from balance b cross join lateral (select ledger_now() as now offset 0) t
   where b.key_id = p_key
$$;
