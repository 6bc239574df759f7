-- Holds that nobody will end any more: past their deadline, or of a process whose lease ran out. A hold younger than a lease is
-- left alone, since its process lived when it was admitted and will renew.
create or replace function lost_holds(p_now timestamptz) returns setof hold language sql stable as $$
  select h.* from hold h left join process p on p.id = h.process_id
   where h.deadline < p_now
      or h.admitted_at < p_now - interval '15 seconds' and (p.id is null or p.lease_until < p_now)
$$;
