-- What people call a key.
create or replace function key_title(p_key uuid) returns text language sql stable as $$
  select 'key ' || coalesce(nullif(k.label, ''), (select s.prefix || '…' from key_secret s where s.key_id = k.id order by s.created_at desc limit 1),
                            k.id::text)
    from key k where k.id = p_key
$$;
