-- Tells whoever keeps a copy of a key that it has changed.
create or replace function key_notify() returns trigger language plpgsql as $$
begin
  perform pg_notify('tollgate_keys', coalesce(new.id, old.id)::text);
  return null;
end
$$;
