-- Says of a day's charges that they are of many keys, whatever its statistics have seen so far.
create or replace function day_has_many_keys(p_table regclass) returns void language plpgsql as $$
begin
  execute format('alter table %s alter column key_no set (n_distinct = 1000), alter column chain set (n_distinct = 1000)', p_table);
end
$$;
