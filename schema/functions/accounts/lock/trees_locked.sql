-- Locks the trees of these accounts.
create or replace function trees_locked(p_accounts uuid[]) returns void language plpgsql as $$
declare
  v_roots uuid[];
begin
  loop
    v_roots := array(select distinct path[1] from account where id = any (p_accounts) order by 1);
    perform from account where id = any (v_roots) order by id for no key update;
    exit when v_roots = array(select distinct path[1] from account where id = any (p_accounts) order by 1);
  end loop;
end
$$;
