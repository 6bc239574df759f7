-- Does what the turn of a request needs and leaves nothing behind: locks the tables it writes, and waits for its commit as a request
-- does, for which a message to nobody is enough. `p_spill`: also writes two megabytes to the disk and removes them, since a full disk
-- may have room for one more row. Called often while no request comes, so it takes no row that a request wants.
create or replace function rehearse_v1(p_spill boolean) returns void language plpgsql set work_mem = '64kB' as $$
begin
  update counter set id = id where false;
  update hold set id = id where false;
  insert into charge select * from charge where false;
  perform pg_logical_emit_message(true, 'tollgate', '');
  if p_spill then
    perform count(*) from (select repeat(md5(g::text), 20) as text from generate_series(1, 3000) g order by text offset 0) spilled;
  end if;
end
$$;
