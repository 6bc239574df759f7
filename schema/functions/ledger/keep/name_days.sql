-- Each day has a branch of its own, which PostgreSQL plans when it is first used. Anything else is asked of the whole journal: ids of two days, of
-- a day without a partition, of a day that was not named yet. The partitions are read as the owner, since roles are granted the journal and
-- not its parts.
create or replace function name_days() returns void language plpgsql
security definer set search_path from current as $$
declare
  v_today date := (ledger_now() at time zone 'UTC')::date;
  v_day date;
  v_days text := '';
begin
  foreach v_day in array array[v_today, v_today + 1, v_today + 2, v_today - 1, v_today + 3] loop
    -- A table of that name which is no partition has some of the day's charges at most. One that somebody else owns cannot be read by name.
    continue when not exists (
      select from pg_inherits
       where inhparent = 'charge'::regclass and inhrelid = to_regclass('charge' || to_char(v_day, '_YYYYMMDD'))
         and has_table_privilege(inhrelid, 'select'));
    v_days := v_days || format(
      E'  if p_first >= %L and p_last < %L then return array(select hold_id from %I where hold_id = any (p_ids)); end if;\n',
      uuid_floor(v_day::timestamp at time zone 'UTC'), uuid_floor((v_day + 1)::timestamp at time zone 'UTC'),
      'charge' || to_char(v_day, '_YYYYMMDD'));
  end loop;
  execute format(
    'create or replace function charged_among(p_ids uuid[], p_first uuid, p_last uuid) returns uuid[] language plpgsql security definer
     set search_path = %I, pg_temp set plan_cache_mode = force_generic_plan set jit = off set enable_seqscan = off set enable_bitmapscan = off
     as %L',
    current_schema(),
    E'begin\n' || v_days
    || E'  return array(select hold_id from charge where hold_id = any (p_ids) and hold_id >= p_first and hold_id <= p_last);\nend');
end
$$;
