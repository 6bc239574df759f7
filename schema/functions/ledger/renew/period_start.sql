-- The period that an instant lies in, UTC; weeks begin on Monday.
create or replace function period_start(p_period text, p_at timestamptz) returns timestamptz language sql immutable as $$
  select case when p_period = 'none' then '-infinity' else date_trunc(p_period, p_at, 'UTC') end
$$;
