-- The end of a change above keys: the first of them are locked by this transaction and hear of it with it, the others later. Those who keep
-- copies of keys are told once, whichever number of keys there is.
create or replace function structure_changed(p_account uuid, p_keys uuid[]) returns void language plpgsql as $$
begin
  perform keys_rechained(p_keys);
  if cardinality(p_keys) = 256 then insert into rechain_owed (account_id, after) values (p_account, p_keys[256]); end if;
  perform pg_notify('tollgate_accounts', p_account::text);
end
$$;
