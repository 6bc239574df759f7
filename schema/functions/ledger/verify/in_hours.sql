-- Whether a moment is in hours of the week, such as `mon-fri 01:00-04:00 06:00-10:00 except 2027-01-01`: UTC, every day where none is named.
create or replace function in_hours(p_hours text, p_at timestamptz) returns boolean language plpgsql immutable as $$
declare
  v_at timestamp := p_at at time zone 'UTC';
  v_week text[] := array['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
  v_today int := extract(dow from v_at);
  v_first int;
  v_last int;
  v_word text;
  v_excepted boolean := false;
  v_days boolean := true;
  v_within boolean := false;
begin
  foreach v_word in array string_to_array(p_hours, ' ') loop
    if v_word = 'except' then
      v_excepted := true;
    elsif v_excepted then
      if v_at::date = v_word::date then
        return false;
      end if;
    elsif v_word ~ '^[a-z]' then
      v_first := array_position(v_week, left(v_word, 3)) - 1;
      v_last := array_position(v_week, right(v_word, 3)) - 1;
      v_days := case when v_first <= v_last then v_today between v_first and v_last else v_today >= v_first or v_today <= v_last end;
    else
      v_within := v_within
        or v_at - v_at::date >= split_part(v_word, '-', 1)::interval and v_at - v_at::date < split_part(v_word, '-', 2)::interval;
    end if;
  end loop;
  return v_days and v_within;
end
$$;
