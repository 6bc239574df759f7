-- Ends these holds at their last checkpoint. The caller holds the locks.
create or replace function holds_ended(p_now timestamptz, p_id uuid[]) returns table (id uuid, key_id uuid, credits bigint, tokens bigint) language plpgsql as $$
#variable_conflict use_column
declare
  q record;
begin
  -- In the order of their ids: where charges exceed their holds, the first to come draws on what is free.
  select array_agg(h.id order by h.id) as id, array_agg(h.key_id order by h.id) as key_id,
         array_agg(h.checkpoint_credits::bigint order by h.id) as credits,
         array_agg(coalesce(h.checkpoint_usage[1]::bigint + h.checkpoint_usage[5], 0) order by h.id) as tokens,
         array_agg(h.checkpoint_usage[1] order by h.id) as input, array_agg(h.checkpoint_usage[2] order by h.id) as cache_read,
         array_agg(h.checkpoint_usage[3] order by h.id) as cache_write, array_agg(h.checkpoint_usage[4] order by h.id) as cache_write_1h,
         array_agg(h.checkpoint_usage[5] order by h.id) as output, array_agg(h.checkpoint_usage[6] order by h.id) as reasoning,
         array_agg(h.checkpoint_tools order by h.id) as tools,
         array_agg(h.checkpoint_served order by h.id) as served, array_agg(h.checkpoint_more order by h.id) as more, array_agg(h.content_delivered order by h.id) as delivered
    into q from hold h where h.id = any (p_id);
  if q.id is null then return; end if;
  perform settled(p_now, q.id, q.key_id, array_fill(5::smallint, array[cardinality(q.id)]), q.credits, q.tokens, q.input, q.cache_read,
                  q.cache_write, q.cache_write_1h, q.output, q.reasoning, q.tools, q.delivered, null, null, null, null, null, null, null, null,
                  null, null, null, null, null, null, q.served, q.more);
  return query select c.hold_id, b.key_id, c.credits, c.tokens from charge c join balance b on b.key_no = c.key_no where c.hold_id = any (q.id);
end
$$;
