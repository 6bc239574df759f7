-- Why: a price can have lines for larger inputs, tiers and regions, and a price of reasoning. Prices that are there have none and stay as they are.
-- Locks: exclusive on price, for a moment; columns without a default rewrite no row.
-- Compatible: programs from 0039 on.
-- Programs of before find a price that has any of these suspended, so that they do not sell it at half of what it says.

alter table price
  add column output_reasoning_nano bigint check (output_reasoning_nano >= 0),
  add column when_lines jsonb check (jsonb_typeof(when_lines) = 'array' and jsonb_array_length(when_lines) between 1 and 64);
