-- A counter begins by the clock, whatever those above it say.
create or replace function counter_open_v1(
  p_account uuid, p_key uuid, p_kind text, p_unit text, p_amount bigint, p_period text, p_models text[], p_actor text
) returns structure language plpgsql as $$
declare
  a account;
  b balance;
  v_models text[] := (select array_agg(distinct m order by m) from unnest(p_models) m);
  v_keys uuid[];
  v_id int;
  v_now timestamptz;
  v_why text;
begin
  if (p_account is null) = (p_key is null) or p_kind = 'purse' and (p_amount <> 0 or p_period <> 'none' or p_models is not null) then
    raise exception 'no such counter' using errcode = 'invalid_parameter_value';
  end if;
  perform ledger_ready();
  perform trees_locked(array[coalesce(p_account, (select account_id from key where id = p_key))]);
  select * into a from account where id = coalesce(p_account, (select account_id from key where id = p_key));
  if not found or p_account is not null and a.lone then return structure_answer('unknown_account'); end if;
  if exists (select from account where id = any (a.path) and status = 'closed') then
    return structure_answer('closed', null, a.id, null, array[account_title(a.id)]);
  end if;
  if p_key is null then
    v_keys := keys_locked(p_account, null);
  else
    v_keys := array[p_key];
    perform from key where id = p_key for no key update;
    select * into b from balance where key_id = p_key for no key update;
  end if;
  select id into v_id from counter_anywhere
   where (account_id = p_account or key_id = p_key) and closed_at is null and kind = p_kind
     and (p_kind = 'purse' or unit = p_unit and period = p_period and models is not distinct from v_models);
  if found then
    return structure_answer('exists', v_id, p_account, p_key, array[coalesce(account_title(p_account), key_title(p_key))]);
  end if;
  v_now := ledger_now();
  if p_key is not null and b.counter is null and v_models is null and not exists (select from hold where key_id = p_key) then
    v_id := nextval('counter_id');
    update balance
       set counter = v_id, kind = p_kind, unit = p_unit, amount = p_amount, posted = p_amount, period = p_period, period_no = 0,
           period_from = period_start(p_period, v_now), period_ends_at = period_end(p_period, v_now), revision = 1, due = null, fundings = 0,
           funded = 0, refunded = 0, used = 0
     where key_id = p_key;
  else
    insert into counter (bucket, account_id, key_id, kind, unit, models, amount, posted, period, period_from, period_ends_at)
    values (a.bucket, p_account, p_key, p_kind, p_unit, v_models, p_amount, p_amount, p_period, period_start(p_period, v_now),
            period_end(p_period, v_now))
    returning id into v_id;
  end if;
  if p_kind = 'limit' then
    insert into funding (counter, reference, seq, kind, amount, period_no, period, actor, at)
    values (v_id, '#open:' || v_id, 1, 'limit', p_amount, 0, p_period, p_actor, v_now);
    update counter set fundings = 1 where id = v_id;
    update balance set fundings = 1 where counter = v_id;
    perform thresholds_set(array[v_id]);
  end if;
  perform require_chains(a.id);
  if p_key is null then
    perform structure_changed(p_account, v_keys);
  else
    perform keys_rechained(v_keys);
    perform pg_notify('tollgate_keys', p_key::text);
  end if;
  return structure_answer('done', v_id, p_account, p_key);
exception when sqlstate 'TG001' then
  get stacked diagnostics v_why = pg_exception_detail;
  return refused_structure(v_why);
end
$$;
