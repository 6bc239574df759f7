-- A secret whose time was over makes no copy of its key wrong when it is deleted.
create or replace function key_secret_changed() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform pg_notify('tollgate_keys', new.key_id::text);
  elsif tg_op = 'DELETE' and old.expires_at <= clock_timestamp() then
    return null;
  else
    update key set version = version where id = old.key_id;
  end if;
  return null;
end
$$;
