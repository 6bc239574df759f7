import { invariant } from "../core/invariant.ts";
import type { Queryable } from "../db/database.ts";
import type { Funded, Ledger, Settled, UsageSummary, Voided } from "./ledger.ts";
import { type VerdictRow, verdictOf } from "./verdict-row.ts";

type SettledRow = { place: number; result: Settled["kind"]; charged: bigint | null };
type VoidedRow = { place: number; result: Voided["kind"]; refunded: bigint };
type UsageRow = Omit<UsageSummary, "periodEndsAtMs"> & { periodEndsAt: Date | null };

/** Arrays are bound as text, so each names its type; one place per request. */
const ADMIT = `select * from admit_v1($1::uuid, $2::uuid[], $3::uuid[], $4::bigint[], $5::int[], $6::bigint[], $7::bigint[],
  $8::boolean[], $9::text[], $10::int[], $11::int[], $12::text[], $13::bytea[], $14::bytea[])`;

const SETTLE = `select * from settle_v1($1::uuid[], $2::uuid[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[],
  $7::bigint[], $8::bigint[], $9::bigint[], $10::boolean[], $11::text[], $12::int[], $13::int[], $14::int[],
  $15::boolean[], $16::int[], $17::text[], $18::bytea[])`;

const CHECKPOINT = `select checkpoint_v1 as id
  from checkpoint_v1($1::uuid[], $2::int[], $3::bigint[], $4::bigint[], $5::bigint[], $6::boolean[])`;

const USAGE = `select unit, posted, held, purchased, used, budget, period_ends_at as "periodEndsAt",
  today_spend as "todaySpend", last_cost as "lastCost", requests, tokens_in as "inputTokens", tokens_out as "outputTokens"
  from usage_v1($1)`;

/** The ledger in PostgreSQL. Every call is one statement and so one transaction. */
export function createLedgerStore(queryable: Queryable): Ledger {
  return {
    admit: async (processId, asks) => {
      const column = columnsOf(asks);
      const rows = await queryable.query<VerdictRow>(ADMIT, [
        processId,
        ...column("id", "keyId", "keyVersion", "rpmLimit", "least", "most", "unlimited", "model", "priceVersion"),
        ...column("lifetimeMs"),
        asks.map(({ claim }) => claim?.route ?? null),
        asks.map(({ claim }) => claim?.keySha256 ?? null),
        asks.map(({ claim }) => claim?.fingerprint ?? null),
      ]);
      return inOrder(asks.length, rows).map(verdictOf);
    },

    settle: async (settlements) => {
      const column = columnsOf(settlements);
      const usage = columnsOf(settlements.map((settlement) => settlement.usage));
      const rows = await queryable.query<SettledRow>(SETTLE, [
        ...column("id", "keyId", "outcome", "charge"),
        ...usage("inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", "reasoningTokens"),
        ...column("contentDelivered"),
        settlements.map(({ record }) => record?.provider ?? null),
        settlements.map(({ record }) => record?.status ?? null),
        settlements.map(({ record }) => record?.firstByteMs ?? null),
        settlements.map(({ record }) => record?.tookMs ?? null),
        settlements.map(({ record }) => record?.estimated ?? null),
        settlements.map(({ answer }) => answer?.status ?? null),
        settlements.map(({ answer }) => answer?.contentType ?? null),
        settlements.map(({ answer }) => answer?.body ?? null),
      ]);
      return inOrder(settlements.length, rows).map(settledOf);
    },

    void: async (requests) => {
      const rows = await queryable.query<VoidedRow>("select * from void_v1($1::uuid[], $2::uuid[])", [
        ...columnsOf(requests)("id", "keyId"),
      ]);
      return inOrder(requests.length, rows).map(({ result, refunded }) => ({ kind: result, refunded }));
    },

    checkpoint: async (checkpoints) => {
      const column = columnsOf(checkpoints);
      const rows = await queryable.query<{ id: string }>(CHECKPOINT, [
        ...column("id", "seq", "cost", "inputTokens", "outputTokens", "contentDelivered"),
      ]);
      return rows.map(({ id }) => id);
    },

    heartbeat: async (processId) => {
      const [row] = await queryable.query<{ until: Date }>("select heartbeat_v1($1) as until", [processId]);
      invariant(row, "a heartbeat is answered");
      return row.until;
    },

    sweep: (sweeperId, limit) =>
      queryable.query(`select id, key_id as "keyId", charged from sweep_v1($1, $2)`, [sweeperId, limit]),

    fund: ({ keyId, reference, kind, amount, about, actor }) =>
      funded("select fund_v1($1, $2, $3, $4, $5, $6) as kind", [keyId, reference, kind, amount, about, actor]),

    setBudget: ({ keyId, reference, budget, period, actor }) =>
      funded("select budget_v1($1, $2, $3, $4, $5) as kind", [keyId, reference, budget, period, actor]),

    usage: async (keyId) => {
      const [row] = await queryable.query<UsageRow>(USAGE, [keyId]);
      if (!row) return null;
      const { periodEndsAt, ...totals } = row;
      return { ...totals, periodEndsAtMs: periodEndsAt?.getTime() ?? null };
    },
  };

  async function funded(sql: string, values: readonly unknown[]): Promise<Funded> {
    const [row] = await queryable.query<Funded>(sql, values);
    invariant(row, "a funding is answered");
    return { kind: row.kind };
  }
}

/** Rows become columns: one array per field, as the functions take them. */
function columnsOf<Row>(rows: readonly Row[]): (...names: (keyof Row)[]) => unknown[][] {
  return (...names) => names.map((name) => rows.map((row) => row[name]));
}

/** Answers by place. One too few would be a request nobody decided, so it is never taken for an answer. */
function inOrder<Row extends { place: number }>(count: number, rows: readonly Row[]): Row[] {
  const ordered: Row[] = Array.from({ length: count });
  for (const row of rows) ordered[row.place - 1] = row;
  invariant(rows.length === count && !ordered.includes(undefined as never), "the ledger answers every request once");
  return ordered;
}

function settledOf({ result, charged }: SettledRow): Settled {
  if (result === "fenced") return { kind: "fenced" };
  invariant(charged !== null, "a settled request has a charge");
  return { kind: result, charged };
}
