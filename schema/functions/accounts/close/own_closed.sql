-- Puts the counter in a balance among the others, closed, with all that was booked to it. Nothing of it is held.
create or replace function own_closed(p_key uuid) returns void language plpgsql as $$
begin
  insert into counter (id, bucket, key_id, kind, unit, amount, period, period_no, period_from, period_ends_at, revision, fundings, closed_at,
                       posted, used, funded, refunded)
  select counter, bucket, key_id, kind, unit, amount, period, period_no, period_from, period_ends_at, revision, fundings, ledger_now(), posted,
         used, funded, refunded
    from balance where key_id = p_key and counter is not null;
  update balance
     set counter = null, kind = null, unit = null, amount = 0, posted = 0, used = 0, funded = 0, refunded = 0, period = 'none', period_no = 0,
         period_from = '-infinity', period_ends_at = 'infinity', revision = 1, due = null, fundings = 0
   where key_id = p_key and counter is not null;
end
$$;
