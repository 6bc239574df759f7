-- The names from the root down.
create or replace function account_title(p_account uuid) returns text language sql stable as $$
  select string_agg(b.name, '/' order by u.place)
    from account a cross join unnest(a.path) with ordinality u (id, place) join account b on b.id = u.id
   where a.id = p_account
$$;
