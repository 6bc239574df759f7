import { afterAll, beforeAll, expect, test } from "vitest";
import type { RequestFacts } from "../../../src/core/request/request-facts.ts";
import type { Database } from "../../../src/db/database.ts";
import { createPostgres } from "../../../src/db/postgres/postgres.ts";
import { verify } from "../../../src/ledger/verify/verify.ts";
import { createVerifyStore } from "../../../src/ledger/verify/verify-store.ts";
import { foldSeries, type SeriesRow } from "../../../src/records/fold-series.ts";
import { foldTotals } from "../../../src/records/fold-totals.ts";
import { createRequestGroups, GRAINS } from "../../../src/records/request-groups.ts";
import { type FreshDatabase, freshDatabase, whyUnavailable } from "../../support/postgres.ts";
import { plant } from "./plant.ts";

const reason = whyUnavailable("15");
const planted = test.skipIf(reason !== null);
const [RECORDS, CHARGES] = [5_000, 2_000];

let home: FreshDatabase;
let database: Database;

beforeAll(async () => {
  if (reason !== null) return;
  home = await freshDatabase();
  await plant({ url: home.url, records: RECORDS, charges: CHARGES, days: 12 });
  database = createPostgres({
    url: home.url,
    poolSize: 1,
    connectTimeoutMs: 5_000,
    statementTimeoutMs: 60_000,
    onError: () => undefined,
  });
});

afterAll(async () => {
  await database?.close();
  await home?.close();
});

planted("as many requests and charges are planted as were asked for, in partitions of their days", async () => {
  const [counts] = await database.query(`
    select (select count(*) from request) as records, (select count(*) from only request_other) as other, (select count(*) from charge) as charges,
           (select count(*) from only charge_other) as "otherCharges",
           (select count(*) from charge c join request r on r.id = c.hold_id and r.credits = c.credits) as both`);

  expect(counts).toEqual({ records: 5_000n, other: 0n, charges: 2_000n, otherCharges: 0n, both: 2_000n });
});

planted("the ledger is verified with what was planted, amounts and sums included", async () => {
  const report = await verify(createVerifyStore(database), {
    keyId: null,
    recompute: true,
    onProgress: () => undefined,
  });

  expect(report).toMatchObject({ ok: true, charges: CHARGES, recomputed: CHARGES, mismatches: [] });
});

type Row = Record<"id" | "code" | "route", string> &
  Record<"key_id" | "model" | "provider" | "outcome", string | null> &
  Record<"times" | "closed_us" | "provider_us" | "input" | "cached" | "output", number> &
  Record<"first_byte_us" | "last_byte_us", number | null> & {
    accounts: string[];
    streamed: boolean;
    credits: bigint | null;
  };

/** As much of a record as its sums are made of. */
function factsOf(row: Row): RequestFacts {
  const steps = { first_byte: row.first_byte_us, last_byte: row.last_byte_us, closed: row.closed_us };
  const told = {
    requestId: `req_${row.id.replaceAll("-", "")}`,
    keyId: row.key_id,
    accounts: row.accounts,
    model: row.model,
    code: row.code === "ok" || row.code === row.outcome ? null : row.code,
    outcome: row.outcome,
    streamed: row.streamed,
    steps,
    providerUs: row.provider_us,
    attempts: row.provider === null ? null : [{ provider: row.provider }],
    inputTokens: row.input,
    cachedTokens: row.cached,
    outputTokens: row.output,
    charged: row.credits === null ? null : { credits: row.credits, tokens: null },
  };
  return told as unknown as RequestFacts;
}

const COLUMNS = [
  ...(["scope", "grain", "start", "model", "provider", "code", "requests", "input", "cached", "output"] as const),
  ...(["credits", "tokens", "spoken", "spoken_ms", "ttft", "overhead"] as const),
];

const EVERY = "requests, input, cached, output, credits::text, tokens::text, spoken, spoken_ms, ttft, overhead";

planted("the planted series and totals are the sums of the planted requests in every step that is kept", async () => {
  const rows = await database.query<Row>("select * from request");
  const groups = createRequestGroups();
  for (const row of rows) groups.add(factsOf(row), row.times);
  const folded = [...foldSeries(groups)].flat();
  const [oldest] = await database.query<{ start: Date }>("select min(start) as start from series where grain = 5");
  const fineFrom = (oldest?.start.getTime() ?? 0) / 1_000;
  const found = async (table: string, words: string): Promise<string[]> => {
    const texts = await database.query<{ row: string }>(`
      select jsonb_build_array(scope, grain, extract(epoch from start)::bigint, ${words}, ${EVERY})::text as row from ${table}`);
    return texts.map(({ row }) => row.replaceAll(", ", ",")).toSorted();
  };

  const [series, totals] = [await found("series", "model, provider, code"), await found("series_total", "code")];

  const kept = folded.filter(({ grain, start }) => grain !== GRAINS[0] || start >= fineFrom);
  const listed = (sums: readonly Partial<SeriesRow>[]): string[] =>
    sums.map((sum) => JSON.stringify(COLUMNS.filter((name) => name in sum).map((name) => sum[name]))).toSorted();
  expect(Date.now() / 1_000 - fineFrom).toBeGreaterThan(7.9 * 86_400);
  expect(series).toEqual(listed(kept));
  expect(totals).toEqual(listed(foldTotals(kept)));
});
