-- What the journal has charged to a limit since that instant, whatever was given back of it. A charge is dated by its admission, its id by the
-- gateway, and its end by the clock: where clocks were wrong it is found by either of the latter.
create or replace function charged_since(p_counter int, p_unit text, p_from timestamptz) returns bigint language plpgsql stable
set jit = off set enable_seqscan = off
as $$
declare
  v_chains int[] := array(select id from chain where own = p_counter or p_counter = any (counters));
  v_keys int[] := array(select distinct key_no from chain where id = any (v_chains));
  v_first uuid := uuid_floor(p_from - interval '2 hours');
begin
  return (
    select coalesce(sum(case p_unit when 'credit' then q.credits else q.tokens end), 0)
      from (
        select c.credits, c.tokens from charge c
         where c.hold_id >= v_first and c.key_no = any (v_keys) and c.chain = any (v_chains) and c.admitted_at >= p_from
        union all
        select c.credits, c.tokens from charge c
         where c.hold_id < v_first and c.at >= p_from and c.key_no = any (v_keys) and c.chain = any (v_chains) and c.admitted_at >= p_from
      ) q
  );
end
$$;
