-- Gives the days to come their partitions of `request`, and removes the days that are older than so many. Answers how many of each. What lies
-- in the default partition, since a clock was wrong or nobody was there to prepare the day, moves along. As the owner of the tables.
create or replace function request_days_v1(p_keep_days int, out made int, out removed int) language plpgsql
security definer set search_path from current set lock_timeout = '300ms' as $$
declare
  v_today date := (ledger_now() at time zone 'UTC')::date;
  v_day date;
  v_name text;
  v_from uuid;
  v_to uuid;
begin
  made := 0;
  removed := 0;
  for v_day in select v_today + n from generate_series(0, 2) n loop
    v_name := to_char(v_day, '"request_"YYYYMMDD');
    continue when to_regclass(v_name) is not null;
    v_from := uuid_floor(v_day::timestamp at time zone 'UTC');
    v_to := uuid_floor((v_day + 1)::timestamp at time zone 'UTC');
    if exists (select from only request_other where id >= v_from and id < v_to) then
      execute format('create table %I (like request including all)', v_name);
      execute format('with moved as (delete from only request_other where id >= %L and id < %L returning *) insert into %I select * from moved',
                     v_from, v_to, v_name);
      execute format('alter table request attach partition %I for values from (%L) to (%L)', v_name, v_from, v_to);
    else
      execute format('create table %I partition of request for values from (%L) to (%L)', v_name, v_from, v_to);
    end if;
    made := made + 1;
  end loop;
  for v_name in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'request'::regclass and c.relname ~ '^request_[0-9]{8}$'
       and to_date(right(c.relname, 8), 'YYYYMMDD') < v_today - p_keep_days
  loop
    execute format('drop table %I', v_name);
    removed := removed + 1;
  end loop;
  delete from only request_other where id < uuid_floor((v_today - p_keep_days)::timestamp at time zone 'UTC');
end
$$;
