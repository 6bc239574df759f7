-- For whom the house bears what it bears of a key, and in which unit: its payer, and its account unless it is its own.
create or replace function bearers_of(p_key uuid) returns table (whose uuid, account boolean, unit text) language sql stable as $$
  select q.whose, q.account, b.mode_unit
    from key k join account a on a.id = k.account_id join balance b on b.key_id = k.id
    cross join lateral (values (payer_of(k.id, k.person_id, k.account_id), false), (case when not a.lone then a.id end, true)) q (whose, account)
   where k.id = p_key and q.whose is not null
$$;
