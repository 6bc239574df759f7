-- What was given back of these charges: what of them was undone, and what was refunded of the others.
create or replace function given_back_since(p_counter int, p_unit text, p_from timestamptz, out undone bigint, out refunded bigint) language plpgsql stable
set jit = off
as $$
declare
  v_chains int[] := array(select id from chain where own = p_counter or p_counter = any (counters));
  v_keys int[] := array(select distinct key_no from chain where id = any (v_chains));
begin
  select coalesce(sum(q.charged) filter (where q.is_void), 0), coalesce(sum(q.back) filter (where not q.is_undone), 0)
    into undone, refunded
    from (
      select f.kind = 'void' as is_void, case p_unit when 'credit' then c.credits else c.tokens end as charged,
             case p_unit when 'credit' then f.credits else f.tokens end as back,
             exists (select from refund v where v.hold_id = f.hold_id and v.kind = 'void') as is_undone
        from refund f join charge c on c.hold_id = f.hold_id
       where f.key_no = any (v_keys) and f.chain = any (v_chains) and c.admitted_at >= p_from
    ) q;
end
$$;
