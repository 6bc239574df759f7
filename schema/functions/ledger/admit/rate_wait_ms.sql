-- How long until fewer than `p_rpm` are counted, and none when that is 0: at most a minute, whatever the clock did.
create or replace function rate_wait_ms(p_rate bigint[], p_rpm int, p_us bigint) returns bigint language plpgsql immutable as $$
declare
  v_count bigint := rate_count(p_rate, p_us);
  v_wait bigint := 0;
  v_second bigint;
begin
  foreach v_second in array p_rate loop
    exit when v_count < greatest(p_rpm, 1) or v_second >> 10 > p_us + 60000000;
    continue when v_second >> 10 <= p_us - 60000000;
    v_count := v_count - (v_second & 1023);
    v_wait := (v_second >> 10) + 60000000 - p_us;
  end loop;
  -- Rounded up, for who waits so long must find it over.
  return least(60000, (v_wait + 999) / 1000);
end
$$;
