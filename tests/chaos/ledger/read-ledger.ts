import { Client, type CustomTypesConfig } from "pg";
import { decoderOf } from "../../../src/db/decode-value.ts";
import type { LedgerState } from "./evidence.ts";

const INSTANT_MS = (column: string): string => `(extract(epoch from ${column}) * 1000)::float8`;

const PERIOD_NO = (admitted: string): string => `b.period_no - (${admitted} < b.period_from)::int as "periodNo"`;

/** Keys here are lone ones: each has one counter, and everything is in its unit. */
const TABLES: Record<keyof LedgerState, string> = {
  balances: `select b.key_id as "keyId", unit, posted, held, older_held as "olderHeld", funded + refunded as purchased,
    case kind when 'purse' then used else used - refunded end as used, amount as budget, period_no as "periodNo", requests,
    tokens_in as "tokensIn", tokens_out as "tokensOut", k.rpm_limit as "rpmLimit"
    from balance b join key k on k.id = b.key_id`,
  holds: `select h.id, h.key_id as "keyId", coalesce(h.credits, h.tokens)::bigint as amount, ${PERIOD_NO("h.admitted_at")}
    from hold h join balance b on b.key_id = h.key_id`,
  charges: `select c.hold_id as "holdId", b.key_id as "keyId", coalesce(c.granted_credits, c.granted_tokens, 0) as granted,
    coalesce(c.credits, c.tokens, 0) as amount, k.name as kind, ${PERIOD_NO("c.admitted_at")},
    (case when k.name = 'upstream_failed' and coalesce(c.credits, c.tokens, 0) = 0 then 0 else coalesce(c.input, 0) end)::bigint as "tokensIn",
    (case when k.name = 'upstream_failed' and coalesce(c.credits, c.tokens, 0) = 0 then 0 else coalesce(c.output, 0) end)::bigint as "tokensOut",
    ${INSTANT_MS("c.at")} as "atMs" from charge c join balance b on b.key_no = c.key_no join charge_kind k on k.no = c.kind`,
  funding: `select b.key_id as "keyId", f.reference, f.kind, f.amount, f.period_no as "periodNo", null as about, ${INSTANT_MS("f.at")} as "atMs"
    from funding f join balance b on b.counter = f.counter
    union all
    select b.key_id, f.reference, 'refund', coalesce(f.credits, f.tokens, 0)::bigint, b.period_no - (c.admitted_at < b.period_from)::int, f.hold_id,
      ${INSTANT_MS("f.at")} from refund f join balance b on b.key_no = f.key_no join charge c on c.hold_id = f.hold_id`,
  records: `select c.hold_id as id, b.key_id as "keyId", coalesce(c.credits, c.tokens, 0) as cost, k.name as outcome, c.estimated
    from charge c join balance b on b.key_no = c.key_no join charge_kind k on k.no = c.kind
    where c.reported and not exists (select from refund f where f.hold_id = c.hold_id and f.kind = 'void')`,
  house: `select hold_id as "holdId", kind, amount from house`,
  claims: `select key_id as "keyId", hold_id as "holdId", state from idempotency`,
};

/** Reads the tables themselves, in one snapshot, and asks none of the ledger's functions. */
export async function readLedger(url: string): Promise<LedgerState> {
  return withClient(url, async (client) => {
    await client.query("begin isolation level repeatable read read only");
    const state: Record<string, unknown[]> = {};
    for (const [name, sql] of Object.entries(TABLES)) state[name] = (await client.query(sql)).rows;
    await client.query("commit");
    return state as LedgerState;
  });
}

/** A connection of the test's own, past every proxy. */
export async function withClient<Result>(url: string, work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({
    connectionString: url,
    types: { getTypeParser: decoderOf as CustomTypesConfig["getTypeParser"] },
  });
  client.on("error", () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
