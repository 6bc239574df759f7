-- Whoever is removed, leaves or gets another account is signed out with the same transaction: a session spends from the account that was theirs.
create or replace function person_signed_out() returns trigger language plpgsql as $$
begin
  perform client_sessions_end(new.id, null, 'person');
  return null;
end
$$;
