-- The catalogue is read whole, so one word per statement is enough.
create or replace function catalogue_notify() returns trigger language plpgsql as $$
begin
  perform pg_notify('tollgate_catalogue', '');
  return null;
end
$$;
