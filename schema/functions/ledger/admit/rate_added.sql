-- With so many more, and without those that have left or lie ahead.
create or replace function rate_added(p_rate bigint[], p_us bigint, p_count int) returns bigint[] language plpgsql immutable as $$
declare
  v_to int := cardinality(p_rate);
  v_from int := 1;
  v_now int;
  v_left int := p_count;
  v_us bigint := p_us;
begin
  while v_to > 0 and p_rate[v_to] >> 10 > p_us + 60000000 loop v_to := v_to - 1; end loop;
  while v_from <= v_to and p_rate[v_from] >> 10 <= p_us - 60000000 loop v_from := v_from + 1; end loop;
  p_rate := p_rate[v_from:v_to];
  v_to := v_to - v_from + 1;
  -- A clock that was set back adds to the newest.
  if v_to > 0 and v_left > 0 and (p_rate[v_to] >> 10) / 1000000 >= p_us / 1000000 then
    v_us := greatest(p_rate[v_to] >> 10, p_us);
    v_now := least(v_left, 1023 - (p_rate[v_to] & 1023)::int);
    p_rate[v_to] := (v_us << 10) + (p_rate[v_to] & 1023) + v_now;
    v_left := v_left - v_now;
  end if;
  while v_left > 0 loop
    v_now := least(v_left, 1023);
    p_rate := p_rate || ((v_us << 10) + v_now);
    v_left := v_left - v_now;
  end loop;
  return p_rate;
end
$$;
