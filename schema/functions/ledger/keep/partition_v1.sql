-- Gives a day its own partition of the charges. For days to come: once a row of that day lies in the default partition, PostgreSQL refuses.
-- Answers whether there was something to do.
create or replace function partition_v1(p_day date) returns boolean language plpgsql
security definer set search_path from current set lock_timeout = '300ms' as $$
declare
  v_name text := to_char(p_day, '_YYYYMMDD');
  v_from uuid := uuid_floor(p_day::timestamp at time zone 'UTC');
  v_to uuid := uuid_floor((p_day + 1)::timestamp at time zone 'UTC');
begin
  if to_regclass('charge' || v_name) is not null then
    -- Days that were made long ahead are named when they come.
    if position('charge' || v_name in (select prosrc from pg_proc where oid = 'charged_among(uuid[], uuid, uuid)'::regprocedure)) = 0 then
      perform name_days();
    end if;
    return false;
  end if;
  execute format('create table %I partition of charge for values from (%L) to (%L)', 'charge' || v_name, v_from, v_to);
  execute format('create trigger is_kept before truncate on %I for each statement execute function journal_is_final()', 'charge' || v_name);
  perform day_has_many_keys(('charge' || v_name)::regclass);
  perform name_days();
  return true;
end
$$;
