-- Ends the look at a day. `p_digest` null: the day is not what it was, and what was kept of it stays as evidence. Sums are objects with the
-- names of the columns of `verified_sum`, where `admitted` counts days since 1970. The index of the times of a day that is over is completed,
-- since what comes later is looked for in it again and again.
create or replace function verify_day_v1(
  p_process uuid, p_day int, p_began timestamptz, p_took_ms bigint, p_mismatches bigint, p_found jsonb,
  p_until timestamptz, p_charges bigint, p_digest bytea, p_sums jsonb
) returns void language plpgsql
security definer set search_path from current set lock_timeout = '300ms' as $$
declare
  v_day date := date '1970-01-01' + p_day;
begin
  perform verify_is_mine(p_process);
  insert into verified_day (day, verified_at, took_ms, mismatches, found) values (v_day, p_began, p_took_ms, p_mismatches, p_found)
  on conflict (day) do update
     set verified_at = excluded.verified_at, took_ms = excluded.took_ms, mismatches = excluded.mismatches, found = excluded.found, pass = null;
  if p_digest is null then return; end if;
  update verified_day set until = p_until, charges = p_charges, digest = p_digest where day = v_day;
  delete from verified_sum where day = v_day;
  insert into verified_sum (day, chain, key_no, admitted, charges, requests, credits, tokens, input, output)
  select v_day, s.chain, s.key_no, date '1970-01-01' + s.admitted, s.charges, s.requests, s.credits, s.tokens, s.input, s.output
    from jsonb_to_recordset(p_sums) s (chain int, key_no int, admitted int, charges bigint, requests bigint, credits bigint, tokens bigint,
                                       input bigint, output bigint);
  if p_until < (v_day + 1)::timestamp at time zone 'UTC' then return; end if;
  begin
    perform brin_summarize_new_values(i.indexrelid)
       from pg_index i join pg_class c on c.oid = i.indexrelid join pg_am a on a.oid = c.relam
      where i.indrelid = to_regclass('charge' || to_char(v_day, '_YYYYMMDD')) and a.amname = 'brin';
  exception when lock_not_available or insufficient_privilege then
    null;
  end;
end
$$;
