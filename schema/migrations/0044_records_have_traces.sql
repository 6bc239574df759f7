-- Why: the record of a request names its trace. Records of before name none.
-- Locks: exclusive on request and its partitions, for a moment; a column without a default rewrites no row.
-- Compatible: programs from 0039 on.

alter table request add column trace_id uuid;
