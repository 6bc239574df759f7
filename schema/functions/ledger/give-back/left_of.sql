-- What is left of a charge after refunds.
create or replace function left_of(c charge, out credits bigint, out tokens bigint) language sql stable as $$
  select c.credits - coalesce(sum(f.credits), 0)::bigint, c.tokens - coalesce(sum(f.tokens), 0)::bigint from refund f where f.hold_id = c.hold_id
$$;
