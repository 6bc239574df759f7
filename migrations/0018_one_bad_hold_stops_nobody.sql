-- Why: one hold that cannot be ended kept every other from being swept. It is set aside with the reason, and the sweep goes on. A
-- checkpoint of which no charge could be made is refused when it is written.
-- Locks: `hold`, exclusively, while its rows are written anew; it has one row per open request. Requests wait meanwhile.

-- No request takes more: a million credits, and a thousand million tokens.
create domain checkpoint_cost as bigint check (value between 0 and 1000000000000000);
create domain checkpoint_tokens as bigint check (value between 0 and 1000000000);
alter table hold
  alter column checkpoint_cost type checkpoint_cost using least(checkpoint_cost, 1000000000000000),
  alter column checkpoint_in type checkpoint_tokens using least(greatest(checkpoint_in, 0), 1000000000),
  alter column checkpoint_out type checkpoint_tokens using least(greatest(checkpoint_out, 0), 1000000000);

-- Holds that could not be ended, and why. They stay open and held. Not of `hold` itself, whose every byte each request writes.
create table quarantine (
  hold_id uuid primary key,
  bucket bucket not null,
  key_id uuid not null,
  since timestamptz not null,
  code text not null,
  reason text not null check (length(reason) <= 300)
);
create index quarantine_key on quarantine (key_id);

-- Whether an error is about the rows it met, and not about the server, the connection or another transaction.
create function is_about_data(p_sqlstate text) returns boolean language sql immutable as $$
  select left(p_sqlstate, 2) in ('21', '22', '23', '54', 'P0') or p_sqlstate in ('XX001', 'XX002')
$$;

-- A message without the value that it quotes at its end.
create function scrubbed(p_message text) returns text language sql immutable as $$
  select left(regexp_replace(regexp_replace(p_message, ': ".*"$', ''), '[[:cntrl:]]+', ' ', 'g'), 300)
$$;

-- Ends these holds at their last checkpoint. The caller has locked their balances and them.
create function holds_ended(p_id uuid[]) returns table (id uuid, key_id uuid, charged bigint) language plpgsql as $$
#variable_conflict use_column
declare
  v_id uuid[];
  v_key uuid[];
  v_cost bigint[];
  v_in bigint[];
  v_out bigint[];
  v_delivered boolean[];
begin
  -- In the order of their ids: where charges exceed their holds, the first to come draws on what is free.
  select array_agg(h.id order by h.id), array_agg(h.key_id order by h.id), array_agg(h.checkpoint_cost order by h.id),
         array_agg(h.checkpoint_in order by h.id), array_agg(h.checkpoint_out order by h.id), array_agg(h.content_delivered order by h.id)
    into v_id, v_key, v_cost, v_in, v_out, v_delivered
    from hold h where h.id = any (p_id);
  if v_id is null then return; end if;
  perform settle_v1(v_id, v_key, array_fill('swept'::text, array[cardinality(v_id)]), v_cost, v_in, v_out, null, null, null,
                    v_delivered, null, null, null, null, null, null, null, null);
  return query select c.hold_id, c.key_id, c.amount::bigint from charge c where c.hold_id = any (v_id);
end
$$;

-- Ends, at their last checkpoint, holds that nobody will end any more: all of a batch or none, and an error says that one of them
-- cannot be. A batch of one has its error written down instead: the hold stays as it is, and is not tried again. Keys with such a
-- hold come last, so that a key whose balance is damaged keeps nobody else waiting. It also removes processes long gone.
create function sweep_v3(p_sweeper uuid, p_limit int)
returns table (id uuid, key_id uuid, charged bigint, code text, reason text) language plpgsql as $$
#variable_conflict use_column
declare
  v_now timestamptz := ledger_now();
  v_id uuid[];
  v_key uuid[];
  v_state text;
  v_message text;
begin
  if not may_sweep(p_sweeper, v_now) then return; end if;
  delete from process where lease_until < v_now - interval '1 day';

  select array_agg(x.id), array_agg(x.key_id) into v_id, v_key from (
    select h.id, h.key_id from lost_holds(v_now) h
     where not exists (select from quarantine q where q.key_id = h.key_id) order by h.id limit p_limit
  ) x;
  if v_id is null then
    select array_agg(x.id), array_agg(x.key_id) into v_id, v_key from (
      select h.id, h.key_id from lost_holds(v_now) h
       where not exists (select from quarantine q where q.hold_id = h.id) order by h.id limit p_limit
    ) x;
  end if;
  if v_id is null then
    -- Those that were ended by whoever held them. Here, where no balance is locked: a release locks that first.
    delete from quarantine q where not exists (select from hold h where h.id = q.hold_id);
    return;
  end if;
  perform from balance where key_id = any (v_key) order by key_id for no key update;
  perform from hold where id = any (v_id) order by id for update;
  -- Others may have ended or set aside some of them meanwhile.
  v_id := array(select h.id from lost_holds(v_now) h
                 where h.id = any (v_id) and not exists (select from quarantine q where q.hold_id = h.id));
  if p_limit > 1 then
    return query select e.id, e.key_id, e.charged, null::text, null::text from holds_ended(v_id) e;
    return;
  end if;
  begin
    return query select e.id, e.key_id, e.charged, null::text, null::text from holds_ended(v_id) e;
  exception when others then
    get stacked diagnostics v_state = returned_sqlstate, v_message = message_text;
    if not is_about_data(v_state) then raise; end if;
    return query
      insert into quarantine as q (hold_id, bucket, key_id, since, code, reason)
      select h.id, h.bucket, h.key_id, v_now, v_state, scrubbed(v_message) from hold h where h.id = any (v_id)
      returning q.hold_id, q.key_id, null::bigint, q.code, q.reason;
  end;
end
$$;

-- Processes of the version before do not know what to do with a hold that was set aside; they never ask for one alone.
create or replace function sweep_v2(p_sweeper uuid, p_limit int) returns table (id uuid, key_id uuid, charged bigint) language sql
as $$ select id, key_id, charged from sweep_v3(p_sweeper, p_limit) where charged is not null $$;

-- Ends a hold that was set aside, for an operator: at its last checkpoint, or at 0. One that was charged already, so that it can
-- have no charge of its own, can only be given back, which is the latter. When it cannot be ended, the new reason is written down.
-- What was done stands in the journal with the actor.
create function release_v1(p_id uuid, p_void boolean, p_actor text)
returns table (result text, unit text, charged bigint, code text, reason text) language plpgsql as $$
#variable_conflict use_column
declare
  q quarantine;
  h hold;
  v_now timestamptz;
begin
  select * into q from quarantine where hold_id = p_id;
  if not found then
    result := 'not_quarantined';
    return next;
    return;
  end if;
  perform ledger_durable();
  select b.unit into unit from balance b where b.key_id = q.key_id for no key update;
  select * into h from hold where id = p_id for update;
  v_now := ledger_now();
  if h.id is null then
    delete from quarantine where hold_id = p_id;
    result := 'ended_before';
    return next;
    return;
  end if;
  begin
    if not p_void then
      charged := (select e.charged from holds_ended(array[p_id]) e);
    elsif exists (select from charge c where c.hold_id = p_id) then
      perform hold_given_back(h, v_now);
      charged := 0;
    else
      perform settle_v1(array[p_id], array[h.key_id], '{voided}', '{0}', null, null, null, null, null, array[h.content_delivered],
                        null, null, null, null, null, null, null, null);
      charged := 0;
    end if;
    insert into funding (key_id, reference, bucket, kind, amount, period_no, actor, at)
    select h.key_id, '#release:' || p_id, h.bucket, 'adjust', 0, b.period_no, p_actor, v_now from balance b where b.key_id = h.key_id;
    delete from quarantine where hold_id = p_id;
    result := case when p_void then 'voided' else 'charged' end;
  exception when others then
    get stacked diagnostics code = returned_sqlstate, reason = message_text;
    if not is_about_data(code) then raise; end if;
    reason := scrubbed(reason);
    charged := null;
    update quarantine set code = release_v1.code, reason = release_v1.reason where hold_id = p_id;
    result := 'refused';
  end;
  return next;
end
$$;

-- Removes a hold without a charge, since there is one already. The caller has locked its balance and it.
create function hold_given_back(h hold, p_now timestamptz) returns void language plpgsql as $$
begin
  delete from hold where id = h.id;
  update balance b
     set held = b.held - h.amount,
         older_held = b.older_held - case when h.period_no < b.period_no then h.amount else 0 end,
         posted = case b.unit when 'credit' then b.posted
                              else greatest(b.budget - b.used + b.older_held - case when h.period_no < b.period_no then h.amount else 0 end,
                                            b.held - h.amount) end
   where b.key_id = h.key_id;
  perform close_claims(p_now, '{1}', '{0}', array[h.id], '{voided}', array[h.content_delivered], null, null, null);
end
$$;
