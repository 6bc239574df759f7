-- A turn, which still calls this, tells of no refusal: the request may be counted, and asked for again. Who refuses it for good tells.
create or replace function thresholds_refused(p_counters int[], p_now timestamptz) returns void language sql as $$
  select
$$;
