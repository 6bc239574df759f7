import type { Costs } from "../../core/bills/name-map.ts";
import { type Decimal, difference, formatDecimal, sum, ZERO } from "../../core/money/decimal.ts";
import { type BillFinding, findingOf } from "../finding.ts";
import { joinHolds, type JournalCell } from "../journal/journal-cell.ts";
import type { VendorBill } from "../tally-bills.ts";
import type { Quantities } from "./compare-quantities.ts";
import { explainMoney, largestOf } from "./explain-money.ts";
import { type MoneyLine, moneyLine, spanOf, unexplained } from "./money-line.ts";

type Sides = {
  provider: string;
  bills: readonly VendorBill[];
  journal: readonly JournalCell[];
  quantities: Quantities;
  costs: Costs;
};

/** `skipped`: models whose money could not be compared. */
export type Money = { findings: BillFinding[]; skipped: string[]; compared: Set<string | null> };

/** Compares what a provider asks for with what our figures cost, by model. The money of what differs in quantity is known already. */
export function compareMoney({ provider, bills, journal, quantities, costs }: Sides): Money {
  for (const compared of quantities.compared) {
    const span = compared.rest.digits === 0n ? null : spanOf(compared, costs);
    if (span !== null) compared.finding.differenceUsd = formatDecimal(span[0]);
  }
  const [bill] = bills
    .filter(({ format }) => format.money > 0)
    .toSorted((one, other) => rankFor(other, provider) - rankFor(one, provider));
  const result: Money = { findings: [], skipped: [], compared: new Set() };
  if (bill === undefined) return result;
  // Their share of each model's money is not known.
  if (journal.some(({ model }) => model === null))
    return { ...result, skipped: [`${provider} (charges of the day name no upstream model)`] };
  const models = modelsOf(bill, provider, journal);
  for (const model of models) {
    const line = moneyLine({ provider, model, bill, journal, quantities, costs });
    if (line === null) result.skipped.push(`${provider} ${model ?? "tools"} (no cost price)`);
    else if (line.figures.size > 0) {
      result.compared.add(model);
      result.findings.push(...findingIn(line, provider, bill));
    }
  }
  return result;
}

/** A bill that asks for money comes before one that knows none. */
const rankFor = ({ format, cells }: VendorBill, provider: string): number =>
  format.money + (cells.some((cell) => cell.provider === provider && cell.usd !== null) ? 10 : 0);

/** Models that are billed or were charged: what a bill leaves out was not asked for. */
function modelsOf({ cells }: VendorBill, provider: string, journal: readonly JournalCell[]): (string | null)[] {
  const billed = cells.filter((cell) => cell.provider === provider && cell.usd !== null).map(({ model }) => model);
  const charged = journal.flatMap(({ model, counts }) => (model !== null && counts.size > 0 ? [model] : []));
  const byModel = billed.length === 0 || billed.some((model) => model !== null);
  return [...new Set([...billed, ...(byModel ? charged : [])])];
}

function findingIn(line: MoneyLine, provider: string, bill: VendorBill): BillFinding[] {
  const rests = [...line.figures.values()].map(unexplained);
  if (rests.every(({ digits }) => digits === 0n)) return [];
  const total = (of: (figures: { billed: Decimal; cost: Decimal }) => Decimal): Decimal =>
    [...line.figures.values()].reduce((all, figures) => sum(all, of(figures)), ZERO);
  const billed = total((figures) => figures.billed);
  const more = rests.reduce(sum, ZERO);
  // What a name that the map does not have was billed for may be what is missing here.
  if (bill.questions.length > 0 && more.digits < 0n) return [];
  const holds = joinHolds(line.cells.map((cell) => cell.holds));
  const found = explainMoney(line, bill.format.vendor) ?? {
    verdict: "money" as const,
    why: `the quantities agree or are accounted for, and the bill is ${formatDecimal(
      difference(
        billed,
        total(({ cost }) => cost),
      ),
    )} off; most of it: ${largestOf(line)}`,
    requests: holds,
  };
  return [
    findingOf({
      provider,
      model: line.model,
      kind: "money",
      exportUsd: formatDecimal(billed),
      differenceUsd: formatDecimal(more),
      ...found,
      exports: bill.files,
    }),
  ];
}
