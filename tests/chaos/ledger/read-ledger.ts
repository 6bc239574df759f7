import { Client, type CustomTypesConfig } from "pg";
import { decoderOf } from "../../../src/db/decode-value.ts";
import type { LedgerState } from "./evidence.ts";

const INSTANT_MS = (column: string): string => `(extract(epoch from ${column}) * 1000)::float8`;

const TABLES: Record<keyof LedgerState, string> = {
  balances: `select b.key_id as "keyId", unit, posted, held, older_held as "olderHeld", purchased, used, budget,
    period_no as "periodNo", requests, tokens_in as "tokensIn", tokens_out as "tokensOut", k.rpm_limit as "rpmLimit"
    from balance b join key k on k.id = b.key_id`,
  holds: `select id, key_id as "keyId", amount, period_no as "periodNo" from hold`,
  charges: `select hold_id as "holdId", key_id as "keyId", granted, amount, kind, period_no as "periodNo",
    tokens_in as "tokensIn", tokens_out as "tokensOut", ${INSTANT_MS("at")} as "atMs" from charge`,
  funding: `select key_id as "keyId", reference, kind, amount, period_no as "periodNo", about, ${INSTANT_MS("at")} as "atMs"
    from funding`,
  records: `select id, key_id as "keyId", cost, outcome, estimated from usage_record`,
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
