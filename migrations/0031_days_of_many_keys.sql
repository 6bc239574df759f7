-- Why: a day begins with the charges of a few keys. While the statistics of its partition know one key alone, PostgreSQL expects every key to
-- match all of the day, and reads it whole for each: the journal of an organisation of 400 keys took 40 seconds after midnight.
-- Locks: SHARE UPDATE EXCLUSIVE on each partition of the charges, until the migration is done; no request waits for it. Days of the last week
-- with statistics of few keys are analyzed. For older ones, run `analyze charge` at a quiet time.

-- Says of a day's charges that they are of many keys, whatever its statistics have seen so far.
create function day_has_many_keys(p_table regclass) returns void language plpgsql as $$
begin
  execute format('alter table %s alter column key_no set (n_distinct = 1000), alter column chain set (n_distinct = 1000)', p_table);
end
$$;

do $$
declare
  v_wait text := current_setting('lock_timeout');
  v_day record;
begin
  -- It belongs to the owner of the journal, whoever migrates.
  execute format('alter function day_has_many_keys(regclass) owner to %I', (select pg_get_userbyid(relowner) from pg_class where oid = 'charge'::regclass));
  -- Long enough for the server to take the lock from a vacuum of its own.
  perform set_config('lock_timeout', '30s', true);
  for v_day in
    select i.inhrelid::regclass as name,
           coalesce(s.n_distinct between 0 and 10 and c.relname > to_char(ledger_now() - interval '7 days', '"charge_"YYYYMMDD'), false) as is_new
      from pg_inherits i join pg_class c on c.oid = i.inhrelid
      left join pg_stats s on s.schemaname = current_schema() and s.tablename = c.relname and s.attname = 'key_no'
     where i.inhparent = 'charge'::regclass and pg_has_role(c.relowner, 'usage') order by 1
  loop
    perform day_has_many_keys(v_day.name);
    if v_day.is_new then execute format('analyze %s (key_no, chain)', v_day.name); end if;
  end loop;
  perform set_config('lock_timeout', v_wait, true);
end
$$;

-- Gives a day its own partition of the charges. For days to come: once a row of that day lies in the default partition, PostgreSQL refuses.
-- Answers whether there was something to do.
create or replace function partition_v1(p_day date) returns boolean language plpgsql as $$
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

do $$
begin
  execute format(
    'alter function partition_v1(date) security definer set search_path = %I, pg_temp set lock_timeout = %L', current_schema(), '300ms');
end
$$;
