import type { Amounts } from "../../core/money/amount.ts";
import { invariant } from "../../core/invariant.ts";
import { CLOCK_REFUSED, connectionLost, DatabaseBusyError, sqlStateOf } from "../../db/database-error.ts";
import { LINE, PREPARED, type Queryable } from "../../db/database.ts";
import { hexColumn, plainColumn, textColumn } from "./columns.ts";
import { inOrder } from "./in-order.ts";
import type { Failure } from "./lane.ts";
import type { CounterSummary, Funded, Ledger, LostHolds, StoredAnswer, UsageSummary, Voided } from "../ledger.ts";
import { createServed, type ServedNumbers } from "./served-store.ts";
import { createTurn, NO_PROCESS } from "./turn-store.ts";
import { moreColumn, toolColumn, USAGE_COUNTS } from "./usage-columns.ts";
import { createWords, type Words } from "./words-store.ts";

type VoidedRow = Amounts & { place: number; result: Voided["kind"] };
type SweptRow = Amounts & { id: string; keyId: string; code: string | null; reason: string | null };
type CounterRow = Omit<CounterSummary, "accountId" | "renewsAtMs" | BigintOf<CounterSummary>> &
  Record<BigintOf<CounterSummary>, string> & { account: string | null; renewsAt: string | null };
type BigintOf<Row> = { [Name in keyof Row]: Row[Name] extends bigint ? Name : never }[keyof Row];
type UsageRow = Omit<UsageSummary, "counters"> & { counters: CounterRow[] };

/** A sum that no column holds; nothing of the statement happened. */
const OUT_OF_RANGE = "22003";

/**
 * Arrays are bound as text, so each names its type. The last value of every call that moves money is the line: it is asked for in
 * the same statement, because a pooler may send each to another server.
 */
const KEPT = `select q.place::int as place, c.status, c.content_type as "contentType", c.body
  from unnest($1::uuid[], $2::bytea[], $3::bytea[]) with ordinality as q (key_id, sha, print, place)
  cross join lateral (
    select * from idempotency
     where key_id = q.key_id and key_sha256 = q.sha and fingerprint = q.print and state = 'stored' limit 1
  ) c`;

const VOID = "select * from void_v1(on_line_v1($4::uuid, $1::uuid[]), $2::uuid[], $3::boolean[])";

const CHECKPOINT = `select checkpoint_v2 as id
  from checkpoint_v2(on_line_v1($14::uuid, $1::uuid[]), $2::int[], $3::bigint[], $4::int[], $5::int[], $6::int[], $7::int[], $8::int[],
    $9::int[], $10::jsonb[], $11::boolean[], $12::int[], $13::jsonb[])`;

const SUSPEND = "select id from suspend_v1(on_line_v1($2::uuid, $1::uuid[])) id";

const REFUSED = "select refused_v1(on_line_v1($3::uuid, $1::int), $2::boolean)";

const HEARTBEAT = "select heartbeat_v1(on_line_v1($2::uuid, $1::uuid)) as until";

const REHEARSE = "select rehearse_v1(on_line_v1($1::uuid, $2::boolean)), require_recent($3, $3, ledger_now())";

const SWEEP = `select id, key_id as "keyId", credits, tokens, code, reason from sweep_v1(on_line_v1($3::uuid, $1::uuid), $2)`;

const FUND = "select fund_v1(on_line_v1($6::uuid, $1::int), $2, $3, $4, $5) as kind";

const LIMIT = "select limit_v1(on_line_v1($6::uuid, $1::int), $2, $3, $4, $5) as kind";

const REFUND = "select refund_v1(on_line_v1($7::uuid, $1::uuid), $2, $3, $4, $5, $6) as kind";

/** One that was ended meanwhile by whoever holds it is no longer in quarantine; the next sweep removes its row. */
const COUNT_LOST = `select
  (select count(*)::int from quarantine q join hold h on h.id = q.hold_id) as quarantined,
  coalesce((select extract(epoch from t.now - min(least(h.deadline, greatest(h.admitted_at + interval '15 seconds', p.lease_until))))
              from lost_holds(t.now) h left join process p on p.id = h.process_id
             where not exists (select from quarantine q where q.hold_id = h.id)), 0)::float8 as "lagSeconds"
  from (select ledger_now() as now) t`;

const USAGE = `select mode_unit as unit, spent, today_spend as "todaySpend", last_cost as "lastCost", requests, tokens_in as "inputTokens",
  tokens_out as "outputTokens", counters
  from usage_v1($1)`;

/** The ledger in PostgreSQL. Every call is one statement and so one transaction. */
export function createLedgerStore(queryable: Queryable): Ledger {
  const words = createWords(queryable);
  const served = createServed(queryable);
  const turn = createTurn(queryable, words, served);
  return {
    turn,
    admit: async (processId, asks) => (await turn(processId, { settlements: [], asks })).verdicts,
    settle: async (settlements) => (await turn(NO_PROCESS, { settlements, asks: [] })).settled,

    ...requestCalls(queryable),
    ...checkpointCalls(queryable, words, served),
    ...lostHoldCalls(queryable),
    ...counterCalls(queryable),
  };
}

/** What becomes of requests under way, beside their turns. */
const requestCalls = (
  queryable: Queryable,
): Pick<Ledger, "kept" | "void" | "heartbeat" | "rehearse" | "forgetClaims"> => ({
  kept: async (claims) => {
    const rows = await queryable.query<StoredAnswer & { place: number }>(KEPT, [
      textColumn(claims, ({ keyId }) => keyId),
      hexColumn(claims, ({ claim }) => claim.keySha256.toString("hex")),
      hexColumn(claims, ({ claim }) => claim.fingerprint.toString("hex")),
    ]);
    const answers = new Map(rows.map(({ place, ...answer }) => [place, answer]));
    return claims.map((_, index) => answers.get(index + 1) ?? null);
  },

  void: async (requests) => {
    const rows = await queryable.query<VoidedRow>(VOID, [
      textColumn(requests, ({ id }) => id),
      textColumn(requests, ({ keyId }) => keyId),
      plainColumn(requests, ({ contentDelivered = false }) => contentDelivered),
      LINE,
    ]);
    return inOrder(rows, requests, {
      rest: () => 0n,
      each: ({ result, credits, tokens }) => ({ kind: result, refunded: { credits, tokens } }),
      common: () => ({ kind: "voided", refunded: { credits: 0n, tokens: 0n } }),
    });
  },

  heartbeat: async (processId) => {
    const [row] = await queryable.query<{ until: Date }>(HEARTBEAT, [processId, LINE], PREPARED);
    invariant(row, "a heartbeat is answered");
    return row.until;
  },

  rehearse: async ({ id, spill }) => {
    await queryable.query(REHEARSE, [LINE, spill, id], PREPARED);
  },

  forgetClaims: async ({ items, bytes }) => {
    const [row] = await queryable.query<{ removed: number }>("select forget_claims_v1($1, $2) as removed", [
      items,
      bytes,
    ]);
    invariant(row, "what was removed is counted");
    return row.removed;
  },
});

/** What requests have come to under way. */
const checkpointCalls = (queryable: Queryable, words: Words, served: ServedNumbers): Pick<Ledger, "checkpoint"> => ({
  checkpoint: async (checkpoints) => {
    const usages = checkpoints.map(({ usage }) => usage);
    const numbers = await words.numbersOf(usages.flatMap(({ toolCalls }) => Object.keys(toolCalls)));
    const ways = await served.numbersOf(checkpoints);
    const values = [
      textColumn(checkpoints, ({ id }) => id),
      plainColumn(checkpoints, ({ seq }) => seq),
      plainColumn(checkpoints, ({ credits }) => credits),
      ...USAGE_COUNTS.map((name) => plainColumn(usages, (usage) => usage[name])),
      toolColumn(usages, numbers),
      plainColumn(checkpoints, ({ contentDelivered }) => contentDelivered),
      plainColumn(ways, (way) => way),
      moreColumn(usages),
      LINE,
    ];
    const rows = await queryable.query<{ id: string }>(CHECKPOINT, values, PREPARED);
    return rows.map(({ id }) => id);
  },
});

/** What is done about holds whose process is gone, and about keys that owe. */
const lostHoldCalls = (queryable: Queryable): Pick<Ledger, "sweep" | "countLost" | "suspend"> => ({
  sweep: async (sweeperId, limit) => {
    const rows = await queryable.query<SweptRow>(SWEEP, [sweeperId, limit, LINE]);
    return {
      swept: rows.flatMap(({ id, keyId, credits, tokens, code }) =>
        code === null ? [{ id, keyId, charged: { credits, tokens } }] : [],
      ),
      quarantined: rows.flatMap(({ id, keyId, code, reason }) =>
        code === null ? [] : [{ id, keyId, code, reason: reason ?? "" }],
      ),
    };
  },

  countLost: async () => {
    const [row] = await queryable.query<LostHolds>(COUNT_LOST);
    invariant(row, "a count is answered");
    return row;
  },

  suspend: async (keyIds) => {
    const rows = await queryable.query<{ id: string }>(SUSPEND, [keyIds, LINE]);
    return rows.map(({ id }) => id);
  },
});

/** Counters: what is booked to them, and what they have. */
const counterCalls = (
  queryable: Queryable,
): Pick<Ledger, "fund" | "setLimit" | "refund" | "refused" | "usage" | "chain"> => ({
  fund: ({ counter, reference, kind, amount, actor }) =>
    funded(queryable, FUND, [counter, reference, kind, amount, actor, LINE]),

  setLimit: ({ counter, reference, amount, period, actor }) =>
    funded(queryable, LIMIT, [counter, reference, amount, period, actor, LINE]),

  refund: ({ keyId, reference, about, amounts, actor }) =>
    funded(queryable, REFUND, [keyId, reference, about, amounts.credits, amounts.tokens, actor, LINE]),

  refused: async ({ counter, little }) => void (await queryable.query(REFUSED, [counter, little, LINE])),

  usage: async (keyId) => {
    const [row] = await queryable.query<UsageRow>(USAGE, [keyId]);
    return row ? { ...row, counters: row.counters.map(counterOf) } : null;
  },

  chain: async (keyId, keyVersion, counters) => {
    const sql = "select chain_v1($1, $2, $3::int[]) as id";
    const [row] = await queryable.query<{ id: number | null }>(sql, [keyId, keyVersion, counters]);
    return row?.id ?? null;
  },
});

async function funded(queryable: Queryable, sql: string, values: readonly unknown[]): Promise<Funded> {
  const [row] = await queryable.query<Funded>(sql, values).catch((error: unknown) => {
    if (sqlStateOf(error) === OUT_OF_RANGE) return [{ kind: "too_much" as const }];
    throw error;
  });
  invariant(row, "a funding is answered");
  return { kind: row.kind };
}

const counterOf = ({ account, renewsAt, ...row }: CounterRow): CounterSummary => ({
  ...row,
  accountId: account,
  amount: BigInt(row.amount),
  posted: BigInt(row.posted),
  held: BigInt(row.held),
  used: BigInt(row.used),
  funded: BigInt(row.funded),
  refunded: BigInt(row.refunded),
  renewsAtMs: renewsAt === null ? null : Date.parse(renewsAt),
});

/**
 * What a whole server or role lacks, and no request can help: rights, the password, the database, the schema, its files. Nothing
 * happened, and nothing that this process sends would.
 */
const LACKING = /^(28|3D|3F|42501|42P01|42883|58|XX001|XX002)/;

/** Classes 22 and 23 are about values; a statement stopped for its time, or for a deadlock, was rolled back. */
export function ledgerFailureOf(error: unknown): Failure {
  if (error instanceof DatabaseBusyError || connectionLost(error)) return "lost";
  const state = sqlStateOf(error);
  if (state === null) return "bug";
  if (state === CLOCK_REFUSED || LACKING.test(state)) return "refused";
  if (state.startsWith("22") || state.startsWith("23")) return "data";
  return /^(40|53|55|57)/.test(state) ? "lost" : "bug";
}
