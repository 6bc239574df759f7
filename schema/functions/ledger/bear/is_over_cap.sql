-- Whether more was caused within an hour than a cap allows: by the payer of this active key, or in its account (null: no cap). Not stable: it
-- sees what its own statement has booked.
create or replace function is_over_cap(p_now timestamptz, p_key uuid, p_cap bigint, p_account_cap bigint) returns boolean language plpgsql as $$
begin
  return exists (
    select from key k cross join lateral bearers_of(k.id) w
     where k.id = p_key and k.status = 'active'
       and borne_within_hour(p_now, w.whose, w.account, w.unit, false) > case when w.account then p_account_cap else p_cap end
  );
end
$$;
