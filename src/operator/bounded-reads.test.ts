import { afterAll, beforeAll, expect, test } from "vitest";
import { emptyDatabase } from "../../tests/support/admin-app.ts";
import { createOperator } from "../app/create-operator.ts";
import { openProviderCredentials } from "../app/catalogue/provider-credentials.ts";
import { systemClock } from "../core/clock.ts";
import type { Database } from "../db/database.ts";
import type { OperatorEvents } from "../telemetry/operator-events.ts";
import { AUDIT_TABLE } from "../contract/audit-table.ts";
import type { Operator } from "./operator.ts";

let database: Database;
let operator: Operator;

const ROOT = "00000000-0000-7000-8000-000000000001";
const KEY = "10000000-0000-7000-8000-000000000001";
const PERSON = "20000000-0000-7000-8000-000000000001";
const idOf = (kind: number): string => `('${kind}0000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid`;
const MANY = 1_100;
const MODELS = 10;
/** Its hours have been added up: yesterday's may not be, a short time after midnight. */
const A_PAST_DAY = new Date(Date.now() - 2 * 86_400_000).toISOString();

/** More of everything than an answer may list. */
const PLANTED = `
  insert into account (id, bucket, path, name, kind) values ('${ROOT}', 7, array['${ROOT}'::uuid], 'Many', 'organisation');
  insert into account (id, bucket, parent_id, path, name)
  select id, 7, '${ROOT}', array['${ROOT}'::uuid, id], 'Child ' || n from generate_series(1, ${MANY}) n, lateral (select ${idOf(3)} as id) i;
  insert into key (id, bucket, mode, account_id) select ${idOf(1)}, 7, 'credit', '${ROOT}' from generate_series(1, ${MANY}) n;
  insert into key_secret (digest, key_id, bucket, prefix)
  select sha256(n::text::bytea), '${KEY}', 7, 'tgc_' || n from generate_series(1, ${MANY}) n;
  insert into word (word) select 'model-' || n from generate_series(1, ${MODELS}) n;
  insert into usage_day select date_trunc('day', '${A_PAST_DAY}'::timestamptz, 'UTC'), h.id, w.no, 1, 1, 1, 0, 1, 0, 0, 1, 0 from chain h, word w;
  insert into hold (id, key_id, process_id, admitted_at, deadline, credits, key_no, chain, model, price_version, claimed)
  select ${idOf(4)}, '${KEY}', '${KEY}', now(), now(), 0, b.key_no, b.chain, (select min(no) from word), 1, false
    from generate_series(1, 10100) n, balance b where b.key_id = '${KEY}';
  insert into quarantine select id, key_id, now(), '23505', 'planted' from hold;
  insert into person (id, email, name, created_at) select ${idOf(2)}, n || '@example.com', 'P', now() from generate_series(1, ${MANY}) n;
  insert into session (digest, id, person_id, via, created_at, last_seen_at, expires_at, address, agent)
  select sha256(n::text::bytea), ${idOf(5)}, '${PERSON}', 'sso', now(), now(), now() + interval '1 hour', '', '' from generate_series(1, ${MANY}) n;
  insert into key (id, bucket, mode, account_id, person_id) select ${idOf(0)}, 7, 'credit', '${ROOT}', '${PERSON}' from generate_series(1, ${MANY}) n;
  insert into client_session (id, person_id, family_digest, refresh_digest, client, agent, address, created_at, refreshed_at, expires_at)
  select ${idOf(0)}, '${PERSON}', sha256(n::text::bytea), sha256(n::text::bytea), 'c', '', '', now(), now(), now() + interval '1 hour' from generate_series(1, ${MANY}) n;
  insert into personal_token (id, digest, prefix, person_id, name, created_at, expires_at)
  select ${idOf(6)}, sha256(n::text::bytea), 'tgp_', '${PERSON}', 't', now(), now() + interval '1 hour' from generate_series(1, ${MANY}) n;
  insert into counter (id, bucket, account_id, kind, unit, period) values (1, 7, '${ROOT}', 'limit', 'credit', 'month');
  insert into notice (counter, unit, period, period_no, revision, kind, value, cause, amount, used, posted, held, at)
  select 1, 'credit', 'month', n, 1, 'percent', 80, 'used', 1, 1, 0, 0, now() from generate_series(1, ${MANY}) n;
  insert into audit (id, actor, action, resource_kind) select ${idOf(7)}, 'anna', 'key.update', 'key' from generate_series(1, ${MANY}) n;
  insert into request (id, route, status, code, closed_us) select ${idOf(8)}, 'models', 200, 'ok', 1 from generate_series(1, ${MANY}) n;
  insert into series (scope, grain, start, model, provider, code, requests, input, cached, output, credits, tokens, spoken, spoken_ms)
  select ${idOf(1)}, 5, date_trunc('hour', now()), '', '', 'ok', 1, 0, 0, 0, 0, 0, 0, 0 from generate_series(1, ${MANY}) n;
  insert into series_total (scope, grain, start, code, requests, input, cached, output, credits, tokens, spoken, spoken_ms)
  select scope, grain, start, code, requests, input, cached, output, credits, tokens, spoken, spoken_ms from series
   union all
  select '00000000-0000-0000-0000-000000000000', 5, date_trunc('hour', now()), 'ok', ${MANY}, 0, 0, 0, 0, 0, 0, 0;
  insert into verification select ${idOf(9)}, now(), 1, 'anna', null, false, 0, 0, 0, 0, 0, 0, 0, 0, false from generate_series(1, ${MANY}) n;
  insert into provider (name, base_url, credential_ref) select 'p' || n, 'http://127.0.0.1:9', 'none' from generate_series(1, ${MANY}) n;
  insert into model (id, owned_by, provider) select 'm' || n, 'x', 'p' || n from generate_series(1, ${MANY}) n;
  insert into price (model_id, version, effective_from, input_nano, output_nano)
  select 'm1', n, now() - n * interval '1 minute', 1, 1 from generate_series(1, ${MANY}) n;
  insert into cost (provider, upstream_model, effective_from, given_at)
  select 'p1', 'u' || n, now() - interval '1 day', now() from generate_series(1, ${MANY}) n;
  insert into route (model_id, provider, upstream_model, dialect) select 'm1', 'p1', 'u' || n, 'chat' from generate_series(1, 5) n`;

beforeAll(async () => {
  database = await emptyDatabase();
  await database.script(PLANTED);
  const events = new Proxy({} as OperatorEvents, { get: () => () => undefined });
  const credentials = openProviderCredentials(
    { key: null, previousKey: null, directories: "", allowedReferences: "" },
    {},
  );
  operator = createOperator({ database, credentials, events, clock: systemClock, acceptForeign: "on" });
});
afterAll(() => database?.close());

const PAGE = { limit: 1_000, after: null };
const ANY = {
  actor: null,
  action: null,
  outcome: null,
  resource: null,
  account: null,
  fromMs: null,
  toMs: null,
} as const;
const AUDIT = { ...PAGE, ...ANY, order: "newest", documents: "short" } as const;

const ANY_REQUEST = {
  key: null,
  account: null,
  model: null,
  provider: null,
  outcome: null,
  status: null,
  code: null,
  agent: null,
  fromMs: null,
  toMs: null,
} as const;
const LAST_DAY = { stepMinutes: null, fromMs: null, toMs: null };

/** Every read, and how it is asked for as much as it gives; null: it lists nothing. A statement lists more, as it says. */
const READS: Record<string, ((operator: Operator) => Promise<unknown>) | null> = {
  "keys.list": ({ keys }) => keys.list(PAGE),
  "keys.show": ({ keys }) => keys.show(KEY),
  "accounts.list": ({ accounts }) => accounts.list(PAGE),
  "accounts.show": ({ accounts }) => accounts.show("Many"),
  "funds.show": ({ funds }) => funds.show(KEY),
  "books.journal": ({ books }) => books.journal({ kind: "account", name: "Many" }, PAGE),
  "books.listCharges": ({ books }) => books.listCharges({ day: A_PAST_DAY.slice(0, 10), ...PAGE }),
  "costs.list": ({ costs }) => costs.list(PAGE),
  "costs.showMargins": ({ costs }) => costs.showMargins({ by: "account", from: null, to: null }),
  "books.showOutstanding": null,
  "books.verify": null,
  "books.listVerifications": ({ books }) => books.listVerifications(),
  "quarantine.list": ({ quarantine }) => quarantine.list(PAGE),
  "live.list": null,
  "live.watch": null,
  "requests.list": ({ requests }) => requests.list({ ...PAGE, ...ANY_REQUEST }, {}),
  "requests.show": null,
  "series.report": ({ series }) => series.report({ ...LAST_DAY, of: null, by: "key", top: 10 }, {}),
  "notices.list": ({ notices }) => notices.list({ ...PAGE, state: null, cause: null, account: null, key: null }),
  "notices.listEndpoints": ({ notices }) => notices.listEndpoints(),
  "notices.test": null,
  "notices.thresholds": ({ notices }) => notices.thresholds({ name: "Many" }),
  "audit.list": ({ audit }) => audit.list(AUDIT, {}),
  "audit.show": null,
  "people.list": ({ people }) => people.list(PAGE),
  "people.show": ({ people }) => people.show(PERSON),
  "people.sessions": ({ people }) => people.sessions(PERSON),
  "clientSessions.list": ({ clientSessions }) => clientSessions.list({ ...PAGE, person: null, account: null }),
  "tokens.list": ({ tokens }) => tokens.list({ ...PAGE, person: null }),
  "usage.report": ({ usage }) => usage.report(null, { days: 7, by: "key" }),
  "usage.statement": ({ usage }) => usage.statement("Many", A_PAST_DAY.slice(0, 7)),
  "providers.list": ({ providers }) => providers.list(PAGE),
  "providers.show": null,
  "providers.probe": null,
  "catalogue.listModels": ({ catalogue }) => catalogue.listModels(PAGE),
  "catalogue.showModel": ({ catalogue }) => catalogue.showModel("m1"),
  "catalogue.showPriceCheck": ({ catalogue }) => catalogue.showPriceCheck(),
  "catalogue.listPrices": ({ catalogue }) => catalogue.listPrices("m1", PAGE),
};

const reads = Object.entries(AUDIT_TABLE).flatMap(([group, rows]) =>
  Object.entries(rows).flatMap(([method, row]) => (row === "read" ? [`${group}.${method}`] : [])),
);

function longest(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const within = Math.max(0, ...Object.values(value).map(longest));
  return Array.isArray(value) ? Math.max(value.length, within) : within;
}

test("every read of operators is in the list of reads that are asked for too much", () => {
  expect(reads.toSorted()).toEqual(Object.keys(READS).toSorted());
});

test.each(reads.filter((read) => READS[read] != null))("%s lists no more than its cap", async (read) => {
  const answer = await READS[read]?.(operator);

  expect(longest(answer)).toBeLessThanOrEqual(read === "usage.statement" ? 10_000 : 1_000);
});

test("what is left off is told, and sums have all of it", async () => {
  const statement = await operator.usage.statement("Many", A_PAST_DAY.slice(0, 7));
  const report = await operator.usage.report(null, { days: 7, by: "key" });
  const { account } = await operator.accounts.show("Many");
  const quarantine = await operator.quarantine.list(PAGE);

  expect(statement).toMatchObject({
    charged: BigInt(MANY * MODELS),
    more: { lines: MANY * MODELS - 10_000, refunds: 0 },
  });
  expect(report.days.reduce((sum, { requests }) => sum + requests, 0)).toBe(MANY * MODELS);
  expect(report).toMatchObject({ moreGroups: MANY - 1_000 });
  expect([account.keys, quarantine.total]).toEqual([1_000, 10_000]);
});

test("an account that does not exist is told with some of those that do, however many there are", async () => {
  await expect(operator.accounts.show("Many/Child 5x")).rejects.toThrow(/There are: (Child \d+, ){8}…\./);
});
