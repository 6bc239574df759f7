-- Whose doing a request is: the person behind a session or a personal account, else the key. A person may have the account of a team as
-- theirs; its keys are the team's.
create or replace function payer_of(p_key uuid, p_person uuid, p_account uuid) returns uuid language sql stable as $$
  select coalesce(p_person, (
    select min(p.id::text)::uuid from person p join account a on a.id = p.account_id
     where p.account_id = p_account and p.state = 'active' and a.kind = 'person'
  ), p_key)
$$;
