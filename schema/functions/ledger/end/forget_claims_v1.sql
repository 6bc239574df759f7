-- Removes claims that have expired, the oldest first: at most so many, and no more once their answers come to so many bytes.
-- Answers how many. The length of an answer is known without reading it. Claims that somebody has locked are left for another time:
-- admissions lock them in the order of keys, and this in the order of their ends.
create or replace function forget_claims_v1(p_limit int, p_bytes bigint) returns int language plpgsql as $$
declare
  v_now timestamptz := ledger_now();
  v_removed int;
begin
  delete from idempotency where ctid = any (array(
    select place from (
      select place, sum(bytes) over (order by expires_at, place rows between unbounded preceding and 1 preceding) as before from (
        select ctid as place, expires_at, coalesce(octet_length(body), 0) as bytes
          from idempotency where expires_at <= v_now order by expires_at limit p_limit for update skip locked
      ) expired
    ) counted where coalesce(before, 0) < p_bytes
  ));
  get diagnostics v_removed = row_count;
  return v_removed;
end
$$;
