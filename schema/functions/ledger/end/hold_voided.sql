-- Ends a hold at nothing.
create or replace function hold_voided(p_now timestamptz, p_id uuid, p_key uuid, p_delivered boolean) returns void language plpgsql as $$
begin
  perform settled(p_now, array[p_id], array[p_key], '{6}', '{0}', '{0}', null, null, null, null, null, null, null, array[p_delivered], null, null,
                  null, null, null, null, null, null, null, null, null, null, null, null, null, null);
end
$$;
