-- How many requests the minute before this instant counts. What lies more than a minute ahead is of a clock that was wrong, and counts no more.
create or replace function rate_count(p_rate bigint[], p_us bigint) returns bigint language plpgsql immutable as $$
declare
  v_sum bigint := 0;
  v_second bigint;
  v_from bigint := (p_us - 59999999) << 10;
  v_to bigint := (p_us + 60000001) << 10;
begin
  foreach v_second in array p_rate loop
    if v_second >= v_from and v_second < v_to then v_sum := v_sum + (v_second & 1023); end if;
  end loop;
  return v_sum;
end
$$;
