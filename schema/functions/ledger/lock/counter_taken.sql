-- Locks a counter wherever it is kept, with the balance of its key where it has one.
create or replace function counter_taken(p_counter int) returns moment language plpgsql as $$
declare
  v_key uuid := (select key_id from balance where counter = p_counter);
begin
  if v_key is not null then return rows_locked(array[v_key], '{}'); end if;
  return rows_locked('{}', array[p_counter]);
end
$$;
