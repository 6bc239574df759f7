import { type BookedCost, costAt, costsAt, type CostOrder, type RouteCost } from "../../catalogue/cost/cost-book.ts";
import type { CostStore } from "../../catalogue/cost/cost-store.ts";
import type { PriceChange } from "../../core/catalogue/catalogue-change.ts";
import type { Clock } from "../../core/clock.ts";
import { Conflict } from "../../core/conflict.ts";
import { fieldFault } from "../../core/fault.ts";
import { invariant } from "../../core/invariant.ts";
import { type Decimal, parseDecimal } from "../../core/money/decimal.ts";
import type { MarginGrouping } from "../../core/bills/margin-grouping.ts";
import { tariffFault } from "../../core/money/rate-rows.ts";
import { type Keyset, type Page, pageOf, type PageRequest, readCursor } from "../../core/page.ts";
import type { By } from "../../core/people/by.ts";
import type { ReadMarginGroups } from "../../ledger/report/margin-groups.ts";
import type { OperatorEvents } from "../../telemetry/operator-events.ts";
import { compare, createMargins, cutsOf, type Margins } from "./margins.ts";

export type { CostOrder, RouteCost };
export { costsAt };

export const COST_STATES = ["past", "in_force", "to_come"] as const;
export type ListedCost = BookedCost & { state: (typeof COST_STATES)[number] };

/** Days of UTC, both included; null: the last thirty, up to today. */
export type AskedMargins = { by: MarginGrouping; from: string | null; to: string | null };

export type MarginReport = Margins & {
  by: MarginGrouping;
  from: string;
  to: string;
  /** What a credit is worth in dollars now: charges are converted by it. */
  creditUsd: Decimal;
  /** How many are not listed. The total has them. */
  more: { groups: number; missing: number; costs: number };
};

/** What providers charge the operator, and what is left of what is charged. */
export type ManageCosts = {
  /** Every version, in the order in which they were given. */
  list: (page: PageRequest) => Promise<Page<ListedCost>>;
  set: (order: CostOrder, by: By) => Promise<readonly PriceChange[]>;
  showMargins: (asked: AskedMargins) => Promise<MarginReport>;
};

type Parts = {
  store: CostStore;
  readGroups: ReadMarginGroups;
  /** The setting `credit_usd`. */
  creditUsd: string;
  events: Pick<OperatorEvents, "catalogueChanged">;
  clock: Pick<Clock, "nowMs">;
};

const BY_PLACE: Keyset = { list: "costs", values: [/^\d{1,10}$/] };
const DAY_MS = 86_400_000;
const USUAL_DAYS = 30;
const MOST_DAYS = 92;
const MOST_LISTED = 1_000;

export const createManageCosts = ({ store, readGroups, creditUsd, events, clock }: Parts): ManageCosts => ({
  list: async ({ limit, after }) => {
    // Costs are only added, so that the place of each stays.
    const [passed = "0"] = readCursor(BY_PLACE, after) ?? [];
    const book = await store.read();
    const nowMs = clock.nowMs();
    const rest = book
      .map((row, place) => ({ place: place + 1, row: { ...row, state: stateOf(row, book, nowMs) } }))
      .slice(Number(passed));
    const { data, next } = pageOf(rest, { limit, list: BY_PLACE.list, valuesOf: ({ place }) => [String(place)] });
    return { data: data.map(({ row }) => row), next };
  },
  set: async (order, by) => {
    const fault = order.cost === null ? null : tariffFault(order.cost);
    if (fault !== null) throw new Conflict(`That is no whole cost: ${fault}.`);
    const changes = await store.set(order);
    events.catalogueChanged({ changes, ...by });
    return changes;
  },
  showMargins: async ({ by, ...range }) => {
    const days = daysOf(range, clock.nowMs());
    const worth = parseDecimal(creditUsd);
    invariant(worth, "a credit is worth something");
    const book = await store.read();
    const cuts = cutsOf(book);
    const margins = createMargins({ by, book, cuts, creditUsd: worth });
    for (const day of days) for (const group of await readGroups(day, cuts)) margins.add(group);
    const { groups, total, missing, costs } = margins.read();
    const ordered = groups.toSorted((one, other) =>
      by === "day"
        ? (one.id ?? "") < (other.id ?? "")
          ? -1
          : 1
        : compare(amountOf(other), amountOf(one)) || ((one.name ?? "") < (other.name ?? "") ? -1 : 1),
    );
    return {
      by,
      from: days[0] ?? "",
      to: days.at(-1) ?? "",
      creditUsd: worth,
      groups: ordered.slice(0, MOST_LISTED),
      total,
      missing: missing.slice(0, MOST_LISTED),
      costs: costs.slice(0, MOST_LISTED),
      more: { groups: beyond(ordered), missing: beyond(missing), costs: beyond(costs) },
    };
  },
});

const beyond = (rows: readonly unknown[]): number => Math.max(0, rows.length - MOST_LISTED);

const amountOf = ({ chargedNano, noCost }: Margins["groups"][number]): bigint => chargedNano + noCost.chargedNano;

/** By its own date, as if there were no other of its route. */
function stateOf(row: BookedCost, book: readonly BookedCost[], nowMs: number): ListedCost["state"] {
  if (row.effectiveFromMs > nowMs) return "to_come";
  return costAt(book, row, nowMs)?.version === row.version ? "in_force" : "past";
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

function daysOf(range: Pick<AskedMargins, "from" | "to">, nowMs: number): string[] {
  const to = range.to ?? dayOf(nowMs);
  const from = range.from ?? dayOf(Date.parse(to) - (USUAL_DAYS - 1) * DAY_MS);
  if (from > to) throw fieldFault("from", "Input should not be after `to`");
  const count = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  if (count > MOST_DAYS) throw fieldFault("from", `Input should be at most ${MOST_DAYS} days before \`to\``);
  return Array.from({ length: count }, (_, index) => dayOf(Date.parse(from) + index * DAY_MS));
}
