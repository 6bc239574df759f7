-- Takes up what a counter of a unit may grant: all that was asked for, or, of a request without a limit of its own, at most half of what is
-- available.
create or replace function granted(p_least bigint, p_most bigint, p_free bigint, p_unlimited boolean) returns bigint language sql immutable as $$
  select case when p_most <= p_free then p_most when p_unlimited then greatest(p_least, p_free / 2) else p_free end
$$;
