-- Why: a route's provider may speak Amazon's Converse. Nothing changes for those that are there.
-- Locks: exclusive on route, while its few rows are looked at.
-- Compatible: programs from 0039 on.

alter table route drop constraint route_dialect_check;
alter table route add constraint route_dialect_check
  check (dialect in ('chat', 'responses', 'messages', 'gemini', 'bedrock', 'converse'));
