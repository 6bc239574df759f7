-- Why: series of a scope as a whole, and the order of keys and accounts, are read from sums over all models and providers. The rows of `series`
-- are ten to thirty times as many.
-- Locks: `series` against writers while what it has is added up. It has no rows yet where 0015 is applied in the same run, as with every
-- update from a release, and nobody writes to it but a version that writes to both.

create table series_total (
  scope uuid not null,
  grain smallint not null check (grain in (5, 60, 1440)),
  start timestamptz not null,
  code text not null,
  requests bigint not null,
  input bigint not null,
  cached bigint not null,
  output bigint not null,
  credits bigint not null,
  tokens bigint not null,
  spoken bigint not null,
  spoken_ms bigint not null,
  ttft int[],
  overhead int[],
  primary key (scope, grain, start, code)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
create index series_total_start on series_total using brin (start) with (pages_per_range = 32);

lock table series in share mode;

insert into series_total (scope, grain, start, code, requests, input, cached, output, credits, tokens, spoken, spoken_ms, ttft, overhead)
select scope, grain, start, code, sum(requests), sum(input), sum(cached), sum(output), sum(credits), sum(tokens), sum(spoken), sum(spoken_ms),
       case when count(ttft) > 0 then array[
         sum(ttft[1]), sum(ttft[2]), sum(ttft[3]), sum(ttft[4]), sum(ttft[5]), sum(ttft[6]), sum(ttft[7]), sum(ttft[8]),
         sum(ttft[9]), sum(ttft[10]), sum(ttft[11]), sum(ttft[12]), sum(ttft[13]), sum(ttft[14]), sum(ttft[15]), sum(ttft[16]),
         sum(ttft[17]), sum(ttft[18]), sum(ttft[19])]::int[] end,
       case when count(overhead) > 0 then array[
         sum(overhead[1]), sum(overhead[2]), sum(overhead[3]), sum(overhead[4]), sum(overhead[5]), sum(overhead[6]),
         sum(overhead[7]), sum(overhead[8]), sum(overhead[9]), sum(overhead[10]), sum(overhead[11]), sum(overhead[12]),
         sum(overhead[13]), sum(overhead[14])]::int[] end
  from series group by scope, grain, start, code;
