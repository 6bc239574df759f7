-- A price stays as it is, since charges name it. It can be withdrawn before it is in force, and suspended, each once.
create or replace function price_kept() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE'
     and to_jsonb(new) - '{withdrawn_at,suspended_for}'::text[] = to_jsonb(old) - '{withdrawn_at,suspended_for}'::text[]
     and (new.withdrawn_at is not distinct from old.withdrawn_at
          or old.withdrawn_at is null and old.effective_from > clock_timestamp())
     and (new.suspended_for is not distinct from old.suspended_for or old.suspended_for is null) then
    return new;
  end if;
  raise exception 'price % of % is kept as it is', old.version, old.model_id using errcode = 'check_violation';
end
$$;
