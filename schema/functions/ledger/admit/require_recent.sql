-- Ids tell the time at which they were made, and the partition of their day. Tests with a clock of their own replace this.
create or replace function require_recent(p_first uuid, p_last uuid, p_now timestamptz) returns void language plpgsql as $$
declare
  v_ms bigint := extract(epoch from p_now) * 1000;
begin
  if ('x' || left(replace(p_first::text, '-', ''), 12))::bit(48)::bigint >= v_ms - 3600000
     and ('x' || left(replace(p_last::text, '-', ''), 12))::bit(48)::bigint <= v_ms + 3600000 then
    return;
  end if;
  raise exception 'request ids were made between % and %, and the database has %', uuid_time(p_first), uuid_time(p_last), p_now
    using errcode = '22T03', hint = 'set the clock of the gateway''s machine: it must be within an hour of the database''s';
end
$$;
