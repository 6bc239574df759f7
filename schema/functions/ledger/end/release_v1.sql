-- Ends a hold that was set aside, for an operator: at its last checkpoint, or at 0. One that was charged already, so that it can
-- have no charge of its own, can only be given back, which is the latter. When it cannot be ended, the new reason is written down.
-- What was done stands in the journal with the actor.
create or replace function release_v1(p_id uuid, p_void boolean, p_actor text)
returns table (result text, credits bigint, tokens bigint, code text, reason text) language plpgsql as $$
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
  perform ledger_ready();
  v_now := locked(array[q.key_id], counters_of(array[p_id]));
  select * into h from hold where id = p_id for update;
  if h.id is null then
    delete from quarantine where hold_id = p_id;
    result := 'ended_before';
    return next;
    return;
  end if;
  begin
    if not p_void then
      select e.credits, e.tokens into credits, tokens from holds_ended(v_now, array[p_id]) e;
    else
      if exists (select from charge c where c.hold_id = p_id) then
        perform hold_given_back(h, v_now);
      else
        perform hold_voided(v_now, p_id, h.key_id, h.content_delivered);
      end if;
      credits := case when h.credits is not null then 0 end;
      tokens := case when h.tokens is not null then 0 end;
    end if;
    insert into release (hold_id, key_id, void, actor, at) values (p_id, h.key_id, p_void, p_actor, v_now);
    delete from quarantine where hold_id = p_id;
    result := case when p_void then 'voided' else 'charged' end;
  exception when others then
    get stacked diagnostics code = returned_sqlstate, reason = message_text;
    if not is_about_data(code) then raise; end if;
    reason := scrubbed(reason);
    credits := null;
    tokens := null;
    update quarantine set code = release_v1.code, reason = release_v1.reason where hold_id = p_id;
    result := 'refused';
  end;
  return next;
end
$$;
