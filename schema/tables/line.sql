-- The line of servers that has the books, the leases of the processes that use it, and what these lock.

-- One row. `mark` is new with every timeline, so that two servers promoted to the same timeline are told apart.
-- `superseded_by` is a higher timeline that a gateway has seen elsewhere: this server has lost the books.
create table server_line (
  one boolean primary key default true check (one),
  identifier bigint not null,
  timeline int not null,
  mark uuid not null,
  superseded_by int,
  since timestamptz not null
);

insert into server_line (identifier, timeline, mark, since)
select s.identifier, s.timeline, gen_random_uuid(), ledger_now() from server_now() s;

create table process (
  id uuid primary key,
  -- Begins anew when a lease had run out, since nobody else may have been able to renew either.
  renewing_since timestamptz not null,
  lease_until timestamptz not null,
  -- That of the server at the last renewal.
  timeline bigint
);

-- What background tasks lock: any role can take an advisory lock and keep it, and a row only one that may write to its table.
create table duty (name text primary key);
insert into duty values ('catalogue'), ('partition'), ('rollup'), ('notices'), ('records');
