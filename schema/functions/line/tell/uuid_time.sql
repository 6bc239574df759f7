-- When an id was made.
create or replace function uuid_time(p_id uuid) returns timestamptz language sql immutable as $$
  select to_timestamp(('x' || left(replace(p_id::text, '-', ''), 12))::bit(48)::bigint / 1000.0)
$$;
