-- What the last round found, of the balances and of all days, and up to when everything is verified.
create or replace function verify_state_v1()
returns table (verified_at timestamptz, mismatches bigint, found jsonb, days bigint, pending bigint, oldest timestamptz)
language sql stable security definer set search_path from current as $$
  select t.verified_at, t.mismatches + d.mismatches, t.found, d.days, d.pending, d.oldest
    from verification_turn t cross join (
      select coalesce(sum(greatest(v.mismatches, coalesce((v.pass ->> 'mismatches')::bigint, 0))), 0)::bigint as mismatches,
             count(v.digest) as days, count(*) - count(v.digest) as pending, min(v.verified_at) as oldest
        from verified_day v
    ) d
$$;
