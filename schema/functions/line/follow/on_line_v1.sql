-- Passed on as it came, once the line is the right one: `void_v1(on_line_v1(mark, ids), …)` asks in the very statement that moves
-- money, wherever a pooler may have sent it.
create or replace function on_line_v1(p_mark uuid, p_value anyelement) returns anyelement language plpgsql as $$
begin
  perform ledger_ready(p_mark);
  return p_value;
end
$$;
