-- Why: a route can be asked for embeddings, in a format of its own.
-- Locks: exclusive on route, while its few rows are looked at again.
-- Compatible: programs from 0039 on.
-- Programs of before leave out routes in formats that they do not speak: to them such a model has no route.

alter table route drop constraint route_dialect_check;
alter table route add constraint route_dialect_check
  check (dialect in ('chat', 'responses', 'messages', 'gemini', 'bedrock', 'converse', 'embeddings'));
