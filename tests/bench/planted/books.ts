import type { Client } from "pg";
import { ADDED_UP } from "../../../demo/demo-store.ts";
import { KEYS, TEAMS } from "./structure.ts";

const REFUNDS = 50;
/** One change of an operator for so many requests. */
const RECORDS_PER_CHANGE = 100;

/** What the charges come to, by chain, as the ledger would have booked them one by one. A limit counts what was admitted in its period. */
const BOOKED = `
  with sum as (
    select key_no, sum(credits)::bigint as credits, count(*) filter (where kind in (1, 3, 4)) as requests, sum(input)::bigint as input,
           sum(output)::bigint as output,
           coalesce(sum(credits) filter (where at >= date_trunc('day', now(), 'UTC')), 0)::bigint as today,
           (array_agg(credits order by at desc))[1] as last
      from charge group by key_no
  )
  update balance b set spent = s.credits, requests = s.requests, tokens_in = s.input, tokens_out = s.output,
         today = (now() at time zone 'UTC')::date, today_spend = s.today, last_cost = s.last
    from sum s where s.key_no = b.key_no;
  with paid as (
    select c.id, sum(h.credits)::bigint as credits
      from (select chain, date_trunc('day', admitted_at, 'UTC') as day, sum(credits) as credits from charge group by 1, 2) h
      join chain on chain.id = h.chain cross join unnest(chain.counters) u (id) join counter c on c.id = u.id
     where h.day >= c.period_from group by c.id
  )
  update counter c
     set used = p.credits, posted = case c.kind when 'purse' then c.posted - p.credits else greatest(c.amount - p.credits, 0) end
    from paid p where p.id = c.id;
  select thresholds_set(array_agg(id)) from counter;
  select thresholds_passed(array_agg(id), now()) from counter`;

const ROLLED_UP = `${ADDED_UP};
  -- The books are as old as what is in them, so that a verification looks at all of it.
  update migration set applied_at = applied_at - interval '31 days'`;

const REFUNDED = `
  select refund_v1(k.key_id, 'planted-' || c.hold_id, c.hold_id, c.credits, null, 'bench')
    from (select hold_id, key_no, credits from charge where credits > 0 order by hold_id desc limit ${REFUNDS}) c
    join balance k on k.key_no = c.key_no`;

/** An id of a month ago. */
const idOf = (n: string): string =>
  `(lpad(to_hex((extract(epoch from now() - interval '30 days') * 1000)::bigint + ${n}), 12, '0') || '7' || substr(md5(${n}::text), 1, 3) || '8' || substr(md5(${n}::text), 4, 15))::uuid`;
const ID = idOf("n");

const PEOPLE = `
  insert into person (id, email, name, account_id, created_at, last_seen_at)
  select ${ID}, 'person-' || n || '@example.com', 'Person ' || n, accounts[3], now() - interval '30 days', now() from planted_key;
  insert into role_grant (person_id, role, account_id, source)
  select ${ID}, 'viewer', case when n >= ${TEAMS} then accounts[2] end, 'sso' from planted_key;
  insert into session (digest, id, person_id, via, created_at, last_seen_at, expires_at, address, agent)
  select sha256(n::text::bytea), ${ID}, ${ID}, 'sso', now(), now(), now() + interval '8 hours', '192.0.2.1', 'Mozilla/5.0' from planted_key;
  insert into personal_token (id, digest, prefix, person_id, name, created_at, expires_at)
  select ${ID}, sha256(('t' || n)::bytea), 'tgp_pl' || n, ${ID}, 'token', now(), now() + interval '90 days' from planted_key`;

const auditOf = (entries: number): string => `
  insert into audit (id, at, actor, via, address, request_id, action, resource_kind, resource_id, resource_name, account_ids, asked, before)
  select ${idOf("a.n")}, now() - interval '30 days' + a.n * (interval '30 days' / ${entries}), 'person-' || a.n % 40 || '@example.com', 'sso', '192.0.2.1',
         'req_planted' || a.n, case a.n % 3 when 0 then 'key.update' when 1 then 'key.disable' else 'key.fund' end, 'key', k.key_id::text,
         'Key ' || k.n + 1, k.accounts, '{"label": "planted", "rpm_limit": 60}', '{"label": "planted", "rpm_limit": null, "status": "active"}'
    from generate_series(1, ${entries}) a (n) join planted_key k on k.n = a.n % ${KEYS};
  insert into audit_end (id, at, outcome, resource_id, resource_name, account_ids, after)
  select id, at + interval '5 milliseconds', 'done', resource_id, resource_name, account_ids, '{"label": "planted", "rpm_limit": 60, "status": "active"}'
    from audit where resource_kind = 'key' and request_id like 'req_planted%'`;

/** Everything that follows from the charges, and what people did. */
export async function plantBooks(
  client: Client,
  { records, tell }: { records: number; tell: (line: string) => void },
): Promise<void> {
  for (const [what, sql] of [
    ["balances, counters and notices", BOOKED],
    ["sums by the hour and the day", ROLLED_UP],
    ["refunds", REFUNDED],
    ["people", PEOPLE],
    ["audit log", auditOf(Math.ceil(records / RECORDS_PER_CHANGE))],
  ] as const) {
    await client.query(sql);
    tell(what);
  }
}
