-- Every day that has charges or was verified, as days since 1970. A day without a partition is found by its ids in the default one, a day
-- after the other; one whose partition is gone by what was kept of it.
create or replace function verify_days_v1()
returns table (now timestamptz, number int, until timestamptz, charges bigint, digest bytea, verified_at timestamptz, took_ms bigint,
               mismatches bigint, found jsonb, pass jsonb)
language sql stable security definer set search_path from current as $$
  with recursive other as (
    (select hold_id from only charge_other order by hold_id limit 1)
    union all
    select (select c.hold_id from only charge_other c
             where c.hold_id >= uuid_floor((date_trunc('day', uuid_time(o.hold_id), 'UTC') + interval '1 day'))
             order by c.hold_id limit 1)
      from other o where o.hold_id is not null
  ), day as (
    select (uuid_time(hold_id) at time zone 'UTC')::date as day from other where hold_id is not null
    union
    select to_date(right(c.relname, 8), 'YYYYMMDD') from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'charge'::regclass and c.relname ~ '^charge_\d{8}$'
    union
    select v.day from verified_day v
  )
  select ledger_now(), d.day - date '1970-01-01', coalesce(v.until, '-infinity'), coalesce(v.charges, 0), v.digest, v.verified_at,
         coalesce(v.took_ms, 0), coalesce(v.mismatches, 0), coalesce(v.found, '[]'), v.pass
    from day d left join verified_day v on v.day = d.day order by d.day desc
$$;
