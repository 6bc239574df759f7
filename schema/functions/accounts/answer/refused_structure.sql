-- Why `require_chains` undid a change.
create or replace function refused_structure(p_detail text) returns structure language sql immutable as $$
  select (jsonb_populate_record(null::structure, p_detail::jsonb)).*
$$;
