-- A key without an account is its own. One in a tree is made while nobody changes the tree, so that it has the chain of its place.
create or replace function key_has_account() returns trigger language plpgsql as $$
declare
  a account;
  v_root uuid;
begin
  if new.account_id is null then
    insert into account (id, bucket, path, name, lone)
    values (new.id, new.bucket, array[new.id], coalesce(nullif(left(new.label, 200), ''), new.id::text), true);
    new.account_id := new.id;
    return new;
  end if;
  loop
    v_root := (select path[1] from account where id = new.account_id);
    perform from account where id = v_root for share;
    select * into a from account where id = new.account_id;
    exit when a.path[1] is not distinct from v_root;
  end loop;
  if a.lone then
    raise exception 'account % belongs to one key alone', a.id using errcode = 'check_violation';
  end if;
  if exists (select from account where id = any (a.path) and status = 'closed') then
    raise exception 'account % is closed', a.id using errcode = 'check_violation';
  end if;
  if a.bucket <> new.bucket then
    raise exception 'account % is in bucket %, and the key would be in %', a.id, a.bucket, new.bucket using errcode = 'check_violation';
  end if;
  return new;
end
$$;
