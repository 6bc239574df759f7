-- When the period ends that an instant lies in: never, where a limit does not renew.
create or replace function period_end(p_period text, p_at timestamptz) returns timestamptz language sql immutable as $$
  select case p_period
    when 'day' then (date_trunc('day', p_at at time zone 'UTC') + interval '1 day') at time zone 'UTC'
    when 'week' then (date_trunc('week', p_at at time zone 'UTC') + interval '1 week') at time zone 'UTC'
    when 'month' then (date_trunc('month', p_at at time zone 'UTC') + interval '1 month') at time zone 'UTC'
    else 'infinity' end
$$;
