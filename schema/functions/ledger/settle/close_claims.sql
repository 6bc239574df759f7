-- What becomes of the idempotency claims of requests that end.
create or replace function close_claims(
  p_now timestamptz, p_place int[], p_is_paid boolean[], p_id uuid[], p_kind smallint[], p_delivered boolean[], p_answer_status int[],
  p_answer_type text[], p_answer_body bytea[]
) returns void language plpgsql as $$
begin
  delete from idempotency where hold_id = any (array(
    select p_id[i] from unnest(p_place, p_is_paid) as q (i, is_paid)
     where not q.is_paid and p_answer_body[i] is null and p_kind[i] <> 1 and not coalesce(p_delivered[i], false)
  ));
  update idempotency c
     set state = case when q.body is not null then 'stored' when q.kind = 1 then 'unavailable' else 'interrupted' end,
         status = case when q.body is not null then q.status end, content_type = case when q.body is not null then q.type end,
         body = q.body, expires_at = p_now + interval '24 hours'
    from (
      select p_id[i] as id, p_kind[i] as kind, p_answer_status[i] as status, p_answer_type[i] as type, p_answer_body[i] as body
        from unnest(p_place) i
    ) q
   where c.hold_id = q.id;
end
$$;
