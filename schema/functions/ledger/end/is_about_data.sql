-- Whether an error is about the rows it met, and not about the server, the connection or another transaction.
create or replace function is_about_data(p_sqlstate text) returns boolean language sql immutable as $$
  select left(p_sqlstate, 2) in ('21', '22', '23', '54', 'P0') or p_sqlstate in ('XX001', 'XX002')
$$;
