-- A message without the value that it quotes at its end.
create or replace function scrubbed(p_message text) returns text language sql immutable as $$
  select left(regexp_replace(regexp_replace(p_message, ': ".*"$', ''), '[[:cntrl:]]+', ' ', 'g'), 300)
$$;
