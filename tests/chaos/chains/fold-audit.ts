import type { Database } from "../../../src/db/database.ts";
import type { AuditEntry } from "../../../src/operator/audit/audit.ts";
import type { Operator } from "../../../src/operator/operator.ts";

/** What there is of an account, a key or a person, beside what requests cost and when somebody was last seen. */
export type Structure = Record<"accounts" | "keys" | "people", Record<string, object>>;

type Counter = { kind: string; unit: string; period: string; models: string[] | null; amount: string; funded: string };
type AccountView = { name: string; parent_id: string | null; kind: string; status: string; counters: Counter[] };
type KeyView = {
  label: string | null;
  status: string;
  account_id: string | null;
  rpm_limit: number | null;
  expires_at: string | null;
  secrets: { prefix: string }[];
  counters: Counter[];
};

type PersonView = {
  email: string;
  name: string;
  state: string;
  account_id: string | null;
  grants: { role: string; account_id: string | null; source: string }[];
};

/** The whole log as it happened, read as an export reads it. */
export async function readAudit(operator: Operator): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = [];
  const all = { actor: null, action: null, outcome: null, resource: null, account: null, fromMs: null, toMs: null };
  for (let after: string | null = null; ;) {
    const page = await operator.audit.list({ ...all, limit: 50, after, order: "oldest", documents: "whole" }, {});
    entries.push(...page.data);
    if (page.next === null) return entries;
    after = page.next;
  }
}

/** What the audit log alone tells of how things are: the last that it says of each. */
export function foldAudit(entries: readonly AuditEntry[]): Structure {
  const structure: Structure = { accounts: {}, keys: {}, people: {} };
  for (const { outcome, resource, action, after } of entries) {
    if (outcome !== "done" || after === null || resource.id === null || action.startsWith("threshold.")) continue;
    if (resource.kind === "account") structure.accounts[resource.id] = accountOf(after as AccountView);
    if (resource.kind === "key") structure.keys[resource.id] = keyOf(after as KeyView);
    if (action.startsWith("person.")) structure.people[resource.id] = personOf(after as PersonView);
  }
  return structure;
}

const accountOf = ({ name, parent_id, kind, status, counters }: AccountView): object => ({
  name,
  parent_id,
  kind,
  status,
  counters: countersOf(counters),
});

const keyOf = ({ label, status, account_id, rpm_limit, expires_at, secrets, counters }: KeyView): object => ({
  label,
  status: status === "expired" ? "active" : status,
  account_id,
  rpm_limit,
  expires_at,
  secrets: secrets.map(({ prefix }) => prefix).toSorted(),
  counters: countersOf(counters),
});

const personOf = ({ email, name, state, account_id, grants }: PersonView): object => ({
  email,
  name,
  state,
  account_id,
  grants: grants.map(({ role, account_id: at, source }) => `${role} at ${at}, ${source}`).toSorted(),
});

const countersOf = (counters: readonly Counter[]): string[] =>
  counters
    .map(({ kind, unit, period, models, amount, funded }) =>
      kind === "purse"
        ? `purse ${unit}: ${Number(funded)} funded`
        : `limit ${unit} per ${period} of ${models?.join() ?? "all"}: ${Number(amount)}`,
    )
    .toSorted();

type Row = { id: string; view: Record<string, unknown> & { counters: Counter[] | null } };

/** The same as the tables have it. Amounts of credit are written in credits. */
export async function readStructure(database: Database): Promise<Structure> {
  const counters = (owner: string): string => `
    (select json_agg(json_build_object('kind', c.kind, 'unit', c.unit, 'period', c.period, 'models', c.models,
              'amount', (case c.unit when 'credit' then c.amount::numeric / 1000000000 else c.amount end)::text,
              'funded', (case c.unit when 'credit' then c.funded::numeric / 1000000000 else c.funded end)::text))
       from counter_anywhere c where c.closed_at is null and c.${owner})`;
  const accounts = await database.query<Row>(`
    select a.id, json_build_object('name', a.name, 'parent_id', a.parent_id, 'kind', a.kind, 'status', a.status,
             'counters', ${counters("account_id = a.id")}) as view
      from account a where not a.lone`);
  const keys = await database.query<Row>(`
    select k.id, json_build_object('label', k.label, 'status', k.status, 'account_id', nullif(k.account_id, k.id), 'rpm_limit', k.rpm_limit,
             'expires_at', to_char(k.expires_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
             'secrets', (select json_agg(s.prefix order by s.prefix collate "C") from key_secret s where s.key_id = k.id),
             'counters', ${counters("key_id = k.id")}) as view
      from key k`);
  const byId = (rows: readonly Row[]): Record<string, object> =>
    Object.fromEntries(rows.map(({ id, view }) => [id, { ...view, counters: countersOf(view.counters ?? []) }]));
  const people = await database.query<{ id: string; view: PersonView }>(`
    select p.id, json_build_object('email', p.email, 'name', p.name, 'state', p.state, 'account_id', p.account_id,
             'grants', coalesce((select json_agg(json_build_object('role', g.role, 'account_id', g.account_id, 'source', g.source))
                                   from role_grant g where g.person_id = p.id), '[]')) as view
      from person p`);
  const peopleById = Object.fromEntries(people.map(({ id, view }) => [id, personOf(view)]));
  return { accounts: byId(accounts), keys: byId(keys), people: peopleById };
}
