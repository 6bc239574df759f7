-- Ends, at their last checkpoint, holds that nobody will end any more: all of a batch or none, and an error says that one of them
-- cannot be. A batch of one has its error written down instead: the hold stays as it is, and is not tried again. Keys with such a
-- hold come last, so that a key whose balance is damaged keeps nobody else waiting. It also removes processes long gone.
create or replace function sweep_v1(p_sweeper uuid, p_limit int)
returns table (id uuid, key_id uuid, credits bigint, tokens bigint, code text, reason text) language plpgsql as $$
#variable_conflict use_column
declare
  v_now timestamptz := ledger_now();
  v_id uuid[];
  v_key uuid[];
  v_at timestamptz;
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
  v_at := locked(v_key, counters_of(v_id));
  perform from hold where id = any (v_id) order by id for update;
  -- Others may have ended or set aside some of them meanwhile.
  v_id := array(select h.id from lost_holds(v_now) h
                 where h.id = any (v_id) and not exists (select from quarantine q where q.hold_id = h.id));
  if p_limit > 1 then
    return query select e.id, e.key_id, e.credits, e.tokens, null::text, null::text from holds_ended(v_at, v_id) e;
    return;
  end if;
  begin
    return query select e.id, e.key_id, e.credits, e.tokens, null::text, null::text from holds_ended(v_at, v_id) e;
  exception when others then
    get stacked diagnostics v_state = returned_sqlstate, v_message = message_text;
    if not is_about_data(v_state) then raise; end if;
    return query
      insert into quarantine as q (hold_id, key_id, since, code, reason)
      select h.id, h.key_id, v_now, v_state, scrubbed(v_message) from hold h where h.id = any (v_id)
      returning q.hold_id, q.key_id, null::bigint, null::bigint, q.code, q.reason;
  end;
end
$$;
