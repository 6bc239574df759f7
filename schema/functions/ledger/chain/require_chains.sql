-- Undoes what was done since the block began, and says why: the caller catches it.
create or replace function require_chains(p_account uuid) returns void language plpgsql as $$
declare
  s structure := chain_trouble(p_account);
begin
  if s.result is null then return; end if;
  raise exception 'a chain would not do' using errcode = 'TG001', detail = to_jsonb(s)::text;
end
$$;
