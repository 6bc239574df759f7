-- How much of a limit is used at a percentage of it, rounded up.
create or replace function used_at(p_amount bigint, p_mark bigint) returns bigint language sql immutable as $$
  select ceil(p_amount::numeric * p_mark / 100)::bigint
$$;
