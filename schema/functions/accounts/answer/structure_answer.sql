-- An answer with nothing but its result, unless told otherwise.
create or replace function structure_answer(
  p_result text, p_counter int default null, p_account uuid default null, p_key uuid default null, p_holders text[] default null,
  p_number int default null
) returns structure language sql immutable as $$
  select p_result, p_counter, p_account, p_key, p_holders, p_number
$$;
