-- Keeps how far the look at a day has come.
create or replace function verify_pass_v1(p_process uuid, p_day int, p_pass jsonb) returns void language plpgsql
security definer set search_path from current as $$
begin
  perform verify_is_mine(p_process);
  insert into verified_day (day, pass) values (date '1970-01-01' + p_day, p_pass)
  on conflict (day) do update set pass = excluded.pass;
end
$$;
