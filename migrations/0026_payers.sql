-- Why: a person signs in as often as they like, and each session was a key with a cap of its own on what the house bears. The cap counts for
-- the payer now, and a second one for the account.
-- Locks: `borne`, for as long as it takes to rewrite little more than an hour of it; ends of requests that the house bears wait meanwhile.

-- Whose doing a request is: the person behind a session or a personal account, else the key. A person may have the account of a team as
-- theirs; its keys are the team's.
create function payer_of(p_key uuid, p_person uuid, p_account uuid) returns uuid language sql stable as $$
  select coalesce(p_person, (
    select min(p.id::text)::uuid from person p join account a on a.id = p.account_id
     where p.account_id = p_account and p.state = 'active' and a.kind = 'person'
  ), p_key)
$$;

alter table borne rename column key_id to whose;
alter table borne add column account boolean not null default false, add column unit unit;
update borne m set unit = coalesce((select mode_unit from balance b where b.key_id = m.whose), 'credit');
alter table borne alter column unit set not null, drop constraint borne_pkey, add primary key (whose, account, unit, minute);

-- For whom the house bears what it bears of a key, and in which unit: its payer, and its account unless it is its own.
create function bearers_of(p_key uuid) returns table (whose uuid, account boolean, unit text) language sql stable as $$
  select q.whose, q.account, b.mode_unit
    from key k join account a on a.id = k.account_id join balance b on b.key_id = k.id
    cross join lateral (values (payer_of(k.id, k.person_id, k.account_id), false), (case when not a.lone then a.id end, true)) q (whose, account)
   where k.id = p_key and q.whose is not null
$$;

-- What the house has borne within an hour for one of them. `p_failed`: what providers failed at, too.
create function borne_within_hour(p_now timestamptz, p_whose uuid, p_account boolean, p_unit text, p_failed boolean) returns numeric
language sql stable as $$
  select coalesce(sum(m.caused + case when p_failed then m.failed else 0 end), 0) from borne m
   where m.whose = p_whose and m.account = p_account and m.unit = p_unit
     and m.minute > date_trunc('minute', p_now, 'UTC') - interval '61 minutes'
$$;

-- Books to the house, once per id, kind and unit; the caller holds the lock of the balances. Answers, of the keys that caused some of it in
-- the unit of their mode and have a cap, the first place each.
create or replace function house_booked(
  p_now timestamptz, p_place int[], p_id uuid[], p_key uuid[], p_kind text[], p_unit text[], p_amount bigint[], p_cap bigint[]
) returns setof int language plpgsql as $$
declare
  v_minute timestamptz := date_trunc('minute', p_now, 'UTC');
begin
  insert into house (hold_id, kind, unit, key_id, amount, at)
  select q.id, q.kind, q.unit, q.key_id, q.amount, p_now
    from unnest(p_id, p_kind, p_unit, p_key, p_amount) as q (id, kind, unit, key_id, amount);
  -- Keys of one payer end in several calls at once, so that rows are written in one order, and what another call removes is left to it.
  insert into borne as m (whose, account, unit, minute, caused, failed)
  select w.whose, w.account, w.unit, v_minute, sum(q.caused), sum(q.failed)
    from (
      select u.key_id, u.unit, coalesce(sum(u.amount) filter (where u.kind <> 'failed'), 0) as caused,
             coalesce(sum(u.amount) filter (where u.kind = 'failed'), 0) as failed
        from unnest(p_key, p_kind, p_unit, p_amount) as u (key_id, kind, unit, amount) group by u.key_id, u.unit
    ) q cross join lateral bearers_of(q.key_id) w
   where w.unit = q.unit
   group by w.whose, w.account, w.unit order by w.whose, w.account, w.unit
  on conflict (whose, account, unit, minute) do update set caused = m.caused + excluded.caused, failed = m.failed + excluded.failed;
  delete from borne m using (
    select whose, account, unit, minute from borne
     where whose in (select w.whose from (select distinct unnest(p_key) as id) k cross join lateral bearers_of(k.id) w) and minute <= v_minute - interval '61 minutes'
       for update skip locked
  ) old where (m.whose, m.account, m.unit, m.minute) = (old.whose, old.account, old.unit, old.minute);
  return query
    select min(u.place) from unnest(p_place, p_key, p_kind, p_unit, p_cap) as u (place, key_id, kind, unit, cap)
      join balance b on b.key_id = u.key_id and b.mode_unit = u.unit
     where u.kind <> 'failed' and u.cap is not null group by u.key_id;
end
$$;

-- Whether more was caused within an hour than a cap allows: by the payer of this active key, or in its account (null: no cap). Not stable: it
-- sees what its own statement has booked.
create function is_over_cap(p_now timestamptz, p_key uuid, p_cap bigint, p_account_cap bigint) returns boolean language plpgsql as $$
begin
  return exists (
    select from key k cross join lateral bearers_of(k.id) w
     where k.id = p_key and k.status = 'active'
       and borne_within_hour(p_now, w.whose, w.account, w.unit, false) > case when w.account then p_account_cap else p_cap end
  );
end
$$;

-- Which requests pay for what their provider's failure would waive, because their payer or their account has been given its cap for this
-- hour: by their order in `p_place`. In the order of the batch; what this batch absorbs before a request counts, too. Amounts are in the unit
-- of each key's mode. `p_cap` has the cap of the payer for every request, and then that of the account (missing: no cap).
create or replace function waivers_spent(
  p_now timestamptz, p_place int[], p_key uuid[], p_absorbed bigint[], p_waived bigint[], p_cap bigint[]
) returns int[] language plpgsql as $$
declare
  r record;
  -- All for whom something is borne, and how much that is so far.
  v_names text[] := '{}';
  v_borne numeric[] := '{}';
  v_own int[];
  v_spent int[] := '{}';
begin
  if not exists (select from unnest(p_waived) w where w > 0) then return v_spent; end if;
  for r in
    select e, coalesce(p_absorbed[i], 0) as absorbed, coalesce(p_waived[i], 0) as waived, w.*
      from unnest(p_place) with ordinality as q (i, e)
      cross join lateral (
        select array_agg(b.whose::text || b.account || b.unit) as names, array_agg(b.whose) as whose, array_agg(b.account) as account,
               array_agg(b.unit) as unit, array_agg(case when b.account then p_cap[i + cardinality(p_key)] else p_cap[i] end) as caps
          from bearers_of(p_key[i]) b
      ) w
     where p_absorbed[i] > 0 or p_waived[i] > 0 order by i
  loop
    for n in 1 .. cardinality(r.names) loop
      if array_position(v_names, r.names[n]) is null then
        v_names := v_names || r.names[n];
        v_borne := v_borne || borne_within_hour(p_now, r.whose[n], r.account[n], r.unit[n], true);
      end if;
      v_own[n] := array_position(v_names, r.names[n]);
    end loop;
    v_own := v_own[1:cardinality(r.names)];
    if r.waived > 0 and exists (select from unnest(v_own, r.caps) as q (own, cap) where v_borne[own] + r.waived > cap) then
      v_spent := v_spent || r.e::int;
      r.waived := 0;
    end if;
    for n in 1 .. cardinality(v_own) loop
      v_borne[v_own[n]] := v_borne[v_own[n]] + r.waived + r.absorbed;
    end loop;
  end loop;
  return v_spent;
end
$$;

-- One turn of a process: it ends requests and starts others. The counters are those of all chains in it, and are locked here; a chain never
-- changes, so they may be named before they are locked. `s_cap` has for every end the cap of its payer, and then for every end that of its
-- account; a gateway that knows of none sends no second half.
create or replace function turn_v1(
  p_mark uuid, p_process uuid, p_counters int[],
  s_id uuid[], s_key uuid[], s_kind smallint[], s_credits bigint[], s_tokens bigint[], s_input int[], s_cache_read int[], s_cache_write int[],
  s_cache_write_1h int[], s_output int[], s_reasoning int[], s_tools jsonb[], s_delivered boolean[], s_provider int[], s_status int[],
  s_first_byte_ms int[], s_took_ms int[], s_estimated boolean[], s_digest bytea[], s_answer_status int[], s_answer_type text[],
  s_answer_body bytea[], s_absorbed_credits bigint[], s_absorbed_tokens bigint[], s_waived_credits bigint[], s_waived_tokens bigint[],
  s_cap bigint[],
  a_id uuid[], a_key uuid[], a_version bigint[], a_rpm int[], a_chain int[], a_least_credits bigint[], a_most_credits bigint[],
  a_least_tokens bigint[], a_most_tokens bigint[], a_unlimited boolean[], a_model int[], a_price int[], a_lifetime_ms int[], a_sha bytea[],
  a_print bytea[]
) returns setof answer language plpgsql as $$
declare
  v_now timestamptz;
  v_us bigint;
  a answer;
begin
  perform ledger_ready(p_mark);
  v_now := locked(coalesce(s_key, '{}') || coalesce(a_key, '{}'), p_counters);
  a.place := 0;
  a.credits := 1;
  if s_id is not null then
    if cardinality(s_id) = 1 and p_counters = '{}' and s_kind[1] = 1 and s_answer_status is null and s_absorbed_credits is null
       and s_absorbed_tokens is null and s_waived_credits is null and s_waived_tokens is null and coalesce(s_cap[1], 1) > 0
       and settled_alone(v_now, s_id[1], s_key[1], s_credits[1], s_tokens[1], s_input[1], s_cache_read[1], s_cache_write[1],
                         s_cache_write_1h[1], s_output[1], s_reasoning[1], s_tools[1], s_provider[1], s_status[1], s_first_byte_ms[1],
                         s_took_ms[1], s_estimated[1], s_digest[1]) then
      a.part := 's';
      a.verdict := 'settled';
      return next a;
    else
      return query
        select s.* from settled(v_now, s_id, s_key, s_kind, s_credits, s_tokens, s_input, s_cache_read, s_cache_write, s_cache_write_1h, s_output,
                              s_reasoning, s_tools, s_delivered, s_provider, s_status, s_first_byte_ms, s_took_ms, s_estimated, s_digest,
                              s_answer_status, s_answer_type, s_answer_body, s_absorbed_credits, s_absorbed_tokens, s_waived_credits,
                              s_waived_tokens, s_cap) s
         where s.verdict <> 'over_cap' or is_over_cap(v_now, s_key[s.place], s_cap[s.place], s_cap[s.place + cardinality(s_id)]);
    end if;
  end if;
  if a_id is not null then
    if cardinality(a_id) = 1 and p_counters = '{}' and a_sha is null and not is_known(a_id[1])
       and admitted_alone(v_now, p_process, a_id[1], a_key[1], a_version[1], a_rpm[1], a_chain[1], a_least_credits[1], a_most_credits[1],
                          a_least_tokens[1], a_most_tokens[1], a_model[1], a_price[1], a_lifetime_ms[1]) then
      a.part := 'a';
      a.verdict := 'admitted';
      return next a;
      if a_rpm[1] is not null then
        v_us := extract(epoch from v_now) * 1000000;
        a.place := 1;
        a.verdict := 'rate';
        select rate_count(rate, v_us), rate_wait_ms(rate, 0, v_us) into a.credits, a.retry_after_ms from balance where key_id = a_key[1];
        return next a;
      end if;
    else
      return query
        select * from admitted(v_now, p_process, p_counters <> '{}', a_id, a_key, a_version, a_rpm, a_chain, a_least_credits, a_most_credits,
                               a_least_tokens, a_most_tokens, a_unlimited, a_model, a_price, a_lifetime_ms, a_sha, a_print);
    end if;
  end if;
end
$$;

-- Since when all that they sign in with is suspended, because the house bore more of them than the cap allows; null: it is not.
alter table person add column capped_at timestamptz;

-- Suspends keys that have crossed a cap, and all that the same person pays for: they would go on with another session. A person is locked
-- before keys, and keys before balances.
create or replace function suspend_v1(p_key uuid[]) returns setof uuid language plpgsql as $$
declare
  v_people uuid[];
  v_keys uuid[];
begin
  perform ledger_ready();
  select array_agg(id) into v_people from (
    select id from person where id in (select payer_of(id, person_id, account_id) from key where id = any (p_key)) order by id for no key update
  ) p;
  update person set capped_at = ledger_now() where id = any (v_people);
  v_keys := p_key || array(
    select k.id from key k
     where (k.person_id = any (v_people) or k.account_id in (select account_id from person where id = any (v_people)))
       and payer_of(k.id, k.person_id, k.account_id) = any (v_people)
  );
  perform from key where id = any (v_keys) order by id for no key update;
  perform from balance where key_id = any (v_keys) order by key_id for no key update;
  return query update key set status = 'suspended' where id = any (v_keys) and status = 'active' returning id;
end
$$;

-- Moves a key out of one of these states; false: it was in none. A session that becomes active brings along the others of its person that a
-- cap suspended, and whatever they sign in with next.
create function key_status_v1(p_key uuid, p_from text[], p_to text) returns boolean language plpgsql as $$
declare
  v_person uuid;
  v_keys uuid[] := array[p_key];
begin
  if p_to = 'active' then
    select p.id into v_person from person p
     where p.capped_at is not null and p.id = (select payer_of(id, person_id, account_id) from key where id = p_key and status = any (p_from))
       for no key update;
    v_keys := v_keys || array(select id from key where person_id = v_person and status = 'suspended');
  end if;
  perform from key where id = any (v_keys) order by id for no key update;
  perform from balance where key_id = any (v_keys) order by key_id for no key update;
  update key set status = p_to where id = p_key and status = any (p_from);
  if not found then return false; end if;
  update key set status = p_to where id = any (v_keys) and id <> p_key and status = 'suspended';
  update person set capped_at = null where id = v_person;
  return true;
end
$$;
