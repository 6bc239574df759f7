import { readCosts } from "../../../../src/config/reconcile/read-costs.ts";
import { readNameMap } from "../../../../src/config/reconcile/read-name-map.ts";
import { costsAt } from "../../../../src/catalogue/cost/cost-book.ts";
import type { Costs } from "../../../../src/core/bills/name-map.ts";
import { journalOf } from "../../../../src/reconcile/journal/journal-of.ts";
import { exitCodeOf, reconcile, type Reconciliation } from "../../../../src/reconcile/reconcile.ts";
import { tariffOf } from "../../../../src/wire/catalogue/price.ts";
import { call } from "../../api/call.ts";
import type { Cost } from "../../api/generated/admin.ts";
import { sourceOf } from "./source-of.ts";

export type Bills = {
  day: string;
  exports: readonly File[];
  map: string;
  /** Given in a file for this comparison; null: those that margins use. */
  costs: string | null;
  /** What margins use; null: the reader may not see it. */
  given: readonly Cost[] | null;
};

export type Comparison = Reconciliation & { verdict: "agrees" | "differs" | "open" };

const MOST_CHARGES = 100_000;
const VERDICTS = ["agrees", "differs", "open"] as const;

/** Compares files of the reader with the journal. They stay in this browser: nothing of them is sent. */
export async function compareBills({ day, exports, map, costs, given }: Bills): Promise<Comparison> {
  let charges = 0;
  const found = await reconcile({
    exports: exports.map(sourceOf),
    journal: journalOf(day, async ({ limit, after }) => {
      charges += limit;
      if (charges > MOST_CHARGES)
        throw new Error(
          `The day has more than ${MOST_CHARGES.toLocaleString("en-US")} charges. Compare it with the command: tollgate reconcile.`,
        );
      const page = await call("GET /admin/v1/ledger/provider-usage", {
        query: { day, limit, ...(after !== null && { after }) },
      });
      return { next: page.next, data: page.data.map(chargeOf) };
    }),
    map: readNameMap(map, "map"),
    costs: costs === null ? costsOf(given ?? [], day) : readCosts(costs, "costs"),
    day,
    nowMs: Date.now(),
  });
  return { ...found, verdict: VERDICTS[exitCodeOf(found)] };
}

type Charge = Awaited<ReturnType<typeof call<"GET /admin/v1/ledger/provider-usage">>>["data"][number];

const chargeOf = (charge: Charge) => ({
  requestId: charge.request_id,
  admittedAtMs: Date.parse(charge.admitted_at),
  atMs: Date.parse(charge.at),
  provider: charge.provider,
  upstreamModel: charge.upstream_model,
  credential: charge.credential,
  tier: charge.tier,
  region: charge.region,
  kind: charge.kind,
  estimated: charge.estimated,
  inputTokens: charge.input_tokens,
  cacheReadTokens: charge.cache_read_tokens,
  cacheWriteTokens: charge.cache_write_tokens,
  cacheWrite1hTokens: charge.cache_write_1h_tokens,
  outputTokens: charge.output_tokens,
  reasoningTokens: charge.reasoning_tokens,
  parts: charge.parts as Record<string, number>,
  toolCalls: charge.tool_calls as Record<string, number>,
});

/** Those in force when the day began; null: none is given, so that money is not compared. */
function costsOf(given: readonly Cost[], day: string): Costs | null {
  const book = given.map((row) => ({
    provider: row.provider,
    upstreamModel: row.upstream_model,
    version: row.version,
    effectiveFromMs: Date.parse(row.effective_from),
    givenAtMs: Date.parse(row.given_at),
    cost: row.cost === null ? null : tariffOf(row.cost as Parameters<typeof tariffOf>[0]),
  }));
  const costs = costsAt(book, Date.parse(`${day}T00:00:00Z`));
  return costs.size === 0 ? null : costs;
}
