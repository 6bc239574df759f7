-- What these counters count.
create or replace function units_of(p_own int, p_counters int[]) returns smallint language sql stable as $$
  select coalesce(bit_or(case unit when 'credit' then 1 else 2 end), 0)::smallint
    from (select unit from counter where id = any (p_counters) union all select unit from balance where counter = p_own) u
$$;
