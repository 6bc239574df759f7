-- One clock for the whole ledger, and the moment since which the server has been able to answer. Tests replace both.
create or replace function ledger_now() returns timestamptz language sql volatile as 'select clock_timestamp()';
