-- Every change of a key makes older copies of it recognisable; revocation is for good.
create or replace function key_changed() returns trigger language plpgsql as $$
begin
  if old.status = 'revoked' and new.status <> 'revoked' then
    raise exception 'key % is revoked, which is final', old.id using errcode = 'check_violation';
  end if;
  if new.status = 'revoked' then
    new.revoked_at := coalesce(old.revoked_at, clock_timestamp());
  end if;
  new.version := old.version + 1;
  return new;
end
$$;
