create type moment as (clock timestamptz, begun timestamptz, ends timestamptz);
