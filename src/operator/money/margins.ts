import { type BookedCost, costAt } from "../../catalogue/cost/cost-book.ts";
import type { MarginGrouping } from "../../core/bills/margin-grouping.ts";
import { priceCounts } from "../../core/bills/price-counts.ts";
import { type Decimal, difference, product, sum, ZERO } from "../../core/money/decimal.ts";
import { hoursIn, rowsOf, type Served } from "../../core/money/rate-rows.ts";
import type { CostCuts, MarginGroup } from "../../ledger/report/margin-groups.ts";

/** Charges of which the cost is not known: they are in no margin. */
export type Uncosted = { requests: number; chargedNano: bigint; refundedNano: bigint };

/** Charges that are paid in tokens: they have a cost, and no amount to compare it with. */
export type PaidInTokens = { requests: number; costUsd: Decimal };

/** What is known of some charges. Dollars are exact: nothing is rounded before it is added. */
export type Margin = {
  /** Of the charges with a cost. */
  requests: number;
  chargedNano: bigint;
  refundedNano: bigint;
  /** What is charged and not given back, in dollars. */
  chargedUsd: Decimal;
  costUsd: Decimal;
  marginUsd: Decimal;
  /** Requests whose cost was given after they were made. */
  requestsBefore: number;
  noCost: Uncosted;
  inTokens: PaidInTokens;
};

/** What lacks a cost. `part`: of the cost that there is, such as `tools.web_search`; null: there is none. */
export type MissingCost = Uncosted & { provider: string | null; upstreamModel: string | null; part: string | null };

/** Which version of a cost was used, and for how many requests. */
export type UsedCost = Omit<BookedCost, "cost"> & { requests: number };

export type Margins = {
  /** `id`: null: of no account, or of a model that the journal does not name. */
  groups: (Margin & { id: string | null; name: string | null })[];
  total: Margin;
  missing: MissingCost[];
  costs: UsedCost[];
};

/** Where the costs of a book change, so that all charges between two cuts cost alike. */
export function cutsOf(book: readonly BookedCost[]): CostCuts {
  const moments = new Set(book.flatMap(({ effectiveFromMs, givenAtMs }) => [effectiveFromMs, givenAtMs]));
  const steps = new Set(
    book.flatMap(({ cost }) => (cost === null ? [] : rowsOf(cost).map(({ fromInput }) => fromInput))),
  );
  return {
    moments: ascending(moments).map((ms) => new Date(ms)),
    steps: ascending(steps).filter((step) => step > 0),
    hours: [...new Set(book.map(({ cost }) => (cost === null ? null : hoursIn(cost))))].filter((text) => text !== null),
  };
}

const ascending = (numbers: Iterable<number>): number[] => [...numbers].toSorted((one, other) => one - other);

type Asked = { by: MarginGrouping; book: readonly BookedCost[]; cuts: CostCuts; creditUsd: Decimal };

/** Adds up what charges brought and what they cost, by group. The days may be added one after the other. */
export function createMargins({ by, book, cuts, creditUsd }: Asked) {
  const groups = new Map<string | null, { name: string | null; margin: Margin }>();
  const total = noMargin();
  const missing = new Map<string, MissingCost>();
  const costs = new Map<string, UsedCost>();

  const add = (group: MarginGroup): void => {
    const [id, name] = nameOf(group, by);
    const known = groups.get(id) ?? { name, margin: noMargin() };
    groups.set(id, known);
    const found = costOf(group, book, cuts);
    for (const margin of [known.margin, total]) addTo(margin, { group, found, creditUsd });
    if ("lacks" in found) {
      addMissing(missing, group, found.lacks);
      return;
    }
    const key = JSON.stringify([found.used.provider, found.used.upstreamModel, found.used.version]);
    const used = costs.get(key) ?? { ...withoutCost(found.used), requests: 0 };
    used.requests += group.requests;
    costs.set(key, used);
  };

  const read = (): Margins => ({
    groups: [...groups].map(([id, { name, margin }]) => ({ id, name, ...margin })),
    total,
    missing: [...missing.values()].toSorted(
      (one, other) => compare(other.chargedNano, one.chargedNano) || other.requests - one.requests,
    ),
    costs: [...costs.values()].toSorted((one, other) => other.requests - one.requests || one.version - other.version),
  });

  return { add, read };
}

const withoutCost = ({ cost: _cost, ...row }: BookedCost): Omit<BookedCost, "cost"> => row;

export const compare = (one: bigint, other: bigint): number => (one === other ? 0 : one < other ? -1 : 1);

const noMargin = (): Margin => ({
  requests: 0,
  chargedNano: 0n,
  refundedNano: 0n,
  chargedUsd: ZERO,
  costUsd: ZERO,
  marginUsd: ZERO,
  requestsBefore: 0,
  noCost: { requests: 0, chargedNano: 0n, refundedNano: 0n },
  inTokens: { requests: 0, costUsd: ZERO },
});

function nameOf(group: MarginGroup, by: MarginGrouping): readonly [id: string | null, name: string | null] {
  if (by === "account") return [group.accountId, group.account];
  const id = group[by];
  return [id, id];
}

type Found = { used: BookedCost; usd: Decimal; isLate: boolean } | { lacks: string | null };

/** What was in force when they were admitted, at the tier and in the region that they were served in. */
function costOf(group: MarginGroup, book: readonly BookedCost[], { steps, moments, hours }: CostCuts): Found {
  const { provider, upstreamModel, era, step, counts } = group;
  const sinceMs = moments[era - 1]?.getTime();
  if (provider === null || upstreamModel === null || sinceMs === undefined) return { lacks: null };
  const used = costAt(book, { provider, upstreamModel }, sinceMs);
  if (used === null || used.cost === null) return { lacks: null };
  const peak = group.peaks[hours.indexOf(hoursIn(used.cost) ?? "")] ?? false;
  const priced = priceCounts({ counts, input: steps[step - 1] ?? 0, peak, ...servedAs(group) }, used.cost);
  if (typeof priced === "string") return { lacks: priced };
  return { used, usd: Object.values(priced).reduce(sum, ZERO), isLate: used.givenAtMs > sinceMs };
}

/** A provider charges what it says it served, whether or not the request was charged as that. */
function servedAs({ tier, region, said }: MarginGroup): Served {
  const [word, name] = said.split(" ");
  if (name === undefined) return { tier, region };
  if (word === "tier") return { tier: name, region };
  // It may say that another model did a part, or that no tier was named.
  return { tier, region: word === "region" ? name : region };
}

const NANO_EXPONENT = -9;

function addTo(margin: Margin, { group, found, creditUsd }: { group: MarginGroup; found: Found; creditUsd: Decimal }) {
  const { requests, chargedNano, refundedNano, inCredits } = group;
  if (!inCredits) {
    margin.inTokens.requests += requests;
    if ("usd" in found) margin.inTokens.costUsd = sum(margin.inTokens.costUsd, found.usd);
    return;
  }
  const to = "usd" in found ? margin : margin.noCost;
  to.requests += requests;
  to.chargedNano += chargedNano;
  to.refundedNano += refundedNano;
  if (!("usd" in found)) return;
  const usd = product({ digits: chargedNano - refundedNano, exponent: NANO_EXPONENT }, creditUsd);
  margin.chargedUsd = sum(margin.chargedUsd, usd);
  margin.costUsd = sum(margin.costUsd, found.usd);
  margin.marginUsd = difference(margin.chargedUsd, margin.costUsd);
  if (found.isLate) margin.requestsBefore += requests;
}

function addMissing(
  missing: Map<string, MissingCost>,
  { provider, upstreamModel, requests, chargedNano, refundedNano }: MarginGroup,
  part: string | null,
): void {
  const key = JSON.stringify([provider, upstreamModel, part]);
  const row = missing.get(key) ?? {
    provider,
    upstreamModel,
    part,
    requests: 0,
    chargedNano: 0n,
    refundedNano: 0n,
  };
  row.requests += requests;
  row.chargedNano += chargedNano;
  row.refundedNano += refundedNano;
  missing.set(key, row);
}
