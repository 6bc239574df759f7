-- Why: gateways verify the ledger by themselves, and keep what each day of charges came to.
-- Locks: only the tables it creates, which nobody can be using yet.
-- Compatible: programs from 0039 on.

-- What gateways found out by themselves, day by day. A day is that of the ids of its charges, UTC. What was charged before `until` is in
-- `digest` and in `verified_sum`, and a later look must find exactly that again. Where it does not, all of this stays as it is.
create table verified_day (
  day date primary key,
  until timestamptz not null default '-infinity',
  -- How many charges are in the digest.
  charges bigint not null default 0,
  -- A chain of SHA-256 over the rows, by id. Null: the day was not looked at to its end yet.
  digest bytea,
  -- When the last look that ended began. Null: none has.
  verified_at timestamptz,
  -- How long it worked, without its rests.
  took_ms bigint not null default 0,
  mismatches bigint not null default 0,
  -- The first of them.
  found jsonb not null default '[]',
  -- How far the look that is under way has come, for whoever goes on with it. Null: there is none.
  pass jsonb
);

-- What the charges in the digest of a day come to, by chain, key, and the day on which they were admitted.
create table verified_sum (
  day date not null,
  chain int not null,
  key_no int not null,
  admitted date not null,
  charges bigint not null,
  requests bigint not null,
  credits bigint not null,
  tokens bigint not null,
  input bigint not null,
  output bigint not null,
  primary key (chain, key_no, day, admitted)
);
create index verified_sum_day on verified_sum (day);

-- One row. Who verifies now, and what the last comparison of all balances with the journal found.
create table verification_turn (
  one boolean primary key default true check (one),
  process_id uuid,
  lease_until timestamptz not null default '-infinity',
  -- Everything that was written before this moment is verified. Null: not yet.
  verified_at timestamptz,
  mismatches bigint not null default 0,
  found jsonb not null default '[]'
);
insert into verification_turn default values;

-- Functions that run as the owner of the tables write these, whoever migrates.
do $$
declare
  v_table regclass;
begin
  foreach v_table in array array['verified_day', 'verified_sum', 'verification_turn']::regclass[] loop
    execute format('alter table %s owner to %I', v_table, (select pg_get_userbyid(relowner) from pg_class where oid = 'migration'::regclass));
  end loop;
end
$$;
