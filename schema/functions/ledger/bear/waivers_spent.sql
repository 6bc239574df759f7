-- Which requests pay for what their provider's failure would waive, because their payer or their account has been given its cap for this
-- hour: by their order in `p_place`. In the order of the batch; what this batch absorbs before a request counts, too. Amounts are in the unit
-- of each key's mode. `p_cap` has the cap of the payer for every request, and then that of the account (missing: no cap).
create or replace function waivers_spent(
  p_now timestamptz, p_place int[], p_key uuid[], p_absorbed bigint[], p_waived bigint[], p_cap bigint[]
) returns int[] language plpgsql as $$
declare
  r record;
  -- All for whom something is borne, and how much that is so far.
  v_names text[] := '{}';
  v_borne numeric[] := '{}';
  v_own int[];
  v_spent int[] := '{}';
begin
  if not exists (select from unnest(p_waived) w where w > 0) then return v_spent; end if;
  for r in
    select e, coalesce(p_absorbed[i], 0) as absorbed, coalesce(p_waived[i], 0) as waived, w.*
      from unnest(p_place) with ordinality as q (i, e)
      cross join lateral (
        select array_agg(b.whose::text || b.account || b.unit) as names, array_agg(b.whose) as whose, array_agg(b.account) as account,
               array_agg(b.unit) as unit, array_agg(case when b.account then p_cap[i + cardinality(p_key)] else p_cap[i] end) as caps
          from bearers_of(p_key[i]) b
      ) w
     where p_absorbed[i] > 0 or p_waived[i] > 0 order by i
  loop
    for n in 1 .. cardinality(r.names) loop
      if array_position(v_names, r.names[n]) is null then
        v_names := v_names || r.names[n];
        v_borne := v_borne || borne_within_hour(p_now, r.whose[n], r.account[n], r.unit[n], true);
      end if;
      v_own[n] := array_position(v_names, r.names[n]);
    end loop;
    v_own := v_own[1:cardinality(r.names)];
    if r.waived > 0 and exists (select from unnest(v_own, r.caps) as q (own, cap) where v_borne[own] + r.waived > cap) then
      v_spent := v_spent || r.e::int;
      r.waived := 0;
    end if;
    for n in 1 .. cardinality(v_own) loop
      v_borne[v_own[n]] := v_borne[v_own[n]] + r.waived + r.absorbed;
    end loop;
  end loop;
  return v_spent;
end
$$;
