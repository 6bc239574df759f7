-- Tells the next keys of a change above them. Answers whether something was owed: call it again until nothing is.
create or replace function rechain_v1() returns boolean language plpgsql as $$
declare
  o rechain_owed;
  v_keys uuid[];
begin
  perform ledger_ready();
  select * into o from rechain_owed order by id limit 1 for update skip locked;
  if not found then return false; end if;
  v_keys := keys_locked(o.account_id, o.after);
  perform keys_rechained(v_keys);
  if cardinality(v_keys) = 256 then
    update rechain_owed set after = v_keys[256] where id = o.id;
  else
    delete from rechain_owed where id = o.id;
  end if;
  return true;
end
$$;
