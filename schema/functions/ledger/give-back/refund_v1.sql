-- Gives back what was charged, in part or whole, once per reference.
create or replace function refund_v1(p_key uuid, p_reference text, p_id uuid, p_credits bigint, p_tokens bigint, p_actor text) returns text
language plpgsql as $$
declare
  b balance;
  c charge;
  f refund;
  v_now timestamptz;
  v_left record;
begin
  if p_reference like '#%' or coalesce(p_credits, 0) < 0 or coalesce(p_tokens, 0) < 0 or coalesce(p_credits, 0) + coalesce(p_tokens, 0) = 0 then
    raise exception 'no such refund' using errcode = 'invalid_parameter_value';
  end if;
  perform ledger_ready();
  v_now := locked(array[p_key], counters_of(array[p_id]));
  select * into b from balance where key_id = p_key;
  if not found then return 'unknown_key'; end if;
  select * into f from refund where key_no = b.key_no and reference = p_reference;
  if found then
    return case when f.hold_id = p_id and coalesce(f.credits, 0) = coalesce(p_credits, 0) and coalesce(f.tokens, 0) = coalesce(p_tokens, 0)
                then 'already' else 'reference_reuse' end;
  end if;
  select * into c from charge where hold_id = p_id and key_no = b.key_no;
  if not found then return 'refused'; end if;
  select * into v_left from left_of(c);
  if coalesce(p_credits, 0) > coalesce(v_left.credits, 0) or coalesce(p_tokens, 0) > coalesce(v_left.tokens, 0) then return 'refused'; end if;
  insert into refund (hold_id, reference, kind, key_no, chain, credits, tokens, actor, at)
  values (p_id, p_reference, 'refund', b.key_no, c.chain, p_credits, p_tokens, p_actor, v_now);
  perform given_back(c, 'refund', p_credits, p_tokens);
  return 'funded';
end
$$;
