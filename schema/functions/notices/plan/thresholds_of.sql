-- What a counter is watched for.
create or replace function thresholds_of(p_counter int, p_kind text) returns bigint[] language sql stable as $$
  select coalesce((select marks from threshold where counter = p_counter), case p_kind when 'limit' then '{80,100}'::bigint[] else '{0}' end)
$$;
