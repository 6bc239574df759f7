-- Removes a hold without a charge, since there is one already. The caller holds the locks.
create or replace function hold_given_back(h hold, p_now timestamptz) returns void language plpgsql as $$
begin
  delete from hold where id = h.id;
  update balance b
     set held = b.held - g.amount, older_held = b.older_held - g.older,
         posted = case b.kind when 'limit' then greatest(b.amount + b.refunded - b.used + b.older_held - g.older, b.held - g.amount)
                              else b.posted end
    from (select key_id, amount, case when h.admitted_at < period_from then amount else 0 end as older
            from (select key_id, period_from, case unit when 'credit' then h.credits else h.tokens end as amount
                    from balance where key_id = h.key_id and counter is not null) q) g
   where b.key_id = g.key_id;
  update counter b
     set held = b.held - g.amount, older_held = b.older_held - g.older,
         posted = case b.kind when 'limit' then greatest(b.amount + b.refunded - b.used + b.older_held - g.older, b.held - g.amount)
                              else b.posted end
    from (select id, amount, case when h.admitted_at < period_from then amount else 0 end as older
            from (select id, period_from, case unit when 'credit' then h.credits else h.tokens end as amount
                    from counter where id = any (h.counters)) q) g
   where b.id = g.id;
  perform close_claims(p_now, '{1}', '{false}', array[h.id], '{6}', array[h.content_delivered], null, null, null);
end
$$;
