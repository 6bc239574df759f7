-- Which of these requests were charged before; the first and the last of them are named so that it need not look for these. It is written anew
-- by `name_days`, with the partitions of the days around the present.
create or replace function charged_among(p_ids uuid[], p_first uuid, p_last uuid) returns uuid[] language plpgsql as $$
begin
  return array(select hold_id from charge where hold_id = any (p_ids) and hold_id >= p_first and hold_id <= p_last);
end
$$;

select name_days();
