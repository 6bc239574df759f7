import type { Costs, NameMap, BillVendor } from "../core/bills/name-map.ts";
import { inOrder } from "../core/bills/kinds.ts";
import { compareMoney, type Money } from "./compare/compare-money.ts";
import { compareQuantities, type Quantities } from "./compare/compare-quantities.ts";
import { questionFinding } from "./ask-name.ts";
import { type BillFinding, findingOf, VERDICTS } from "./finding.ts";
import { joinHolds, type JournalCell } from "./journal/journal-cell.ts";
import type { JournalRows } from "./journal/journal-row.ts";
import { tallyJournal } from "./journal/tally-journal.ts";
import type { SourceFile } from "./read/decode-file.ts";
import { type VendorBill, tallyBills } from "./tally-bills.ts";

/** A day of bills beside a day of the journal. */
export type Reconciliation = {
  day: string;
  findings: BillFinding[];
  /** Days so young that the provider may still change them. */
  provisional: { provider: string; until: string }[];
  /** Providers of the journal of which no export speaks. */
  withoutExport: string[];
  /** Models whose money has no cost price. */
  withoutCosts: string[];
  /** Rows of exports that were left out on purpose, and why. */
  leftOut: { export: string; why: string; rows: number }[];
  requests: number;
};

type Asked = {
  exports: readonly SourceFile[];
  journal: JournalRows;
  map: NameMap;
  /** Null: money is not compared. */
  costs: Costs | null;
  /** Such as 2026-11-16. */
  day: string;
  nowMs: number;
};

/** Compares what providers say they served on a day with what the journal charged. */
export async function reconcile({ exports, journal, map, costs, day, nowMs }: Asked): Promise<Reconciliation> {
  const dayMs = Date.parse(`${day}T00:00:00Z`);
  const bills = await tallyBills(exports, { map, dayMs });
  const tally = await tallyJournal(journal, { dayMs, costs });
  const [findings, withoutCosts, provisional]: [BillFinding[], string[], Reconciliation["provisional"]] = [[], [], []];
  const providers = providersOf(bills, map);
  for (const [provider, own] of providers) {
    const cells = tally.cells.filter((cell) => cell.provider === provider);
    const quantities = compareQuantities({ provider, dayMs, bills: own, journal: cells });
    const money = costs === null ? null : compareMoney({ provider, bills: own, journal: cells, quantities, costs });
    withoutCosts.push(...(money?.skipped ?? []));
    findings.push(...shown(provider, { quantities, money, cells }));
    const untilMs = Math.max(...own.map(({ format }) => youngUntil(format.youngDays, dayMs)));
    if (nowMs < untilMs) provisional.push({ provider, until: new Date(untilMs).toISOString().slice(0, 10) });
  }
  for (const bill of bills) {
    findings.push(
      ...bill.questions.map((question) => questionFinding(question, bill)),
      ...bill.lacks.map((why) => lack(bill, why)),
    );
  }
  return {
    day,
    findings,
    provisional,
    withoutExport: [...new Set(tally.cells.map(({ provider }) => provider))].filter(
      (provider) => !providers.has(provider),
    ),
    withoutCosts,
    leftOut: bills.flatMap(leftOutOf),
    requests: tally.rows,
  };
}

/** 0: all agrees; 1: something differs; 2: something could not be compared. */
export function exitCodeOf({ findings }: Pick<Reconciliation, "findings">): 0 | 1 | 2 {
  const meanings = findings.map(({ verdict }) => VERDICTS[verdict]);
  if (meanings.includes("question")) return 2;
  return meanings.includes("difference") ? 1 : 0;
}

/** The bills that speak of each provider, in the order in which they were given. */
function providersOf(bills: readonly VendorBill[], map: NameMap): Map<string, VendorBill[]> {
  const found = new Map<string, VendorBill[]>();
  for (const bill of bills) {
    for (const provider of paidTo(bill.format.vendor, map)) found.set(provider, [...(found.get(provider) ?? []), bill]);
  }
  return found;
}

function paidTo(vendor: BillVendor, map: NameMap): Set<string> {
  const names = map[vendor];
  if (names === undefined) return new Set();
  const payees = [...names.credentials.values()].map(({ provider }) => provider);
  return new Set(names.provider === null ? payees : [names.provider, ...payees]);
}

type Shown = { quantities: Quantities; money: Money | null; cells: readonly JournalCell[] };

/** Of a model with a difference, its differences; of one without, that it agrees, or that nothing of it could be compared. */
function shown(provider: string, { quantities: { compared, others }, money, cells }: Shown): BillFinding[] {
  const differing = [
    ...compared
      .map(({ finding }) => finding)
      .filter(({ verdict }) => verdict !== "agrees")
      .toSorted(byLine),
    ...others,
    ...(money?.findings ?? []),
  ];
  const charged = cells.filter(({ counts }) => counts.size > 0);
  const models = new Set([...compared.map(({ pair }) => pair.place.model), ...charged.map(({ model }) => model)]);
  const touched = new Set(differing.map(({ model }) => model));
  const named = [...models].filter((model) => model !== null);
  return [
    ...differing,
    ...(named.length > 0 ? named : [...models])
      .filter((model) => !touched.has(model))
      .map((model) => {
        const own = compared.filter(({ pair: { place } }) => place.model === model || place.model === null);
        const all = charged.filter((cell) => cell.model === model);
        const said = {
          provider,
          model,
          kind: "all",
          exports: [...new Set(own.flatMap(({ finding }) => finding.exports))],
          requests: joinHolds(all.map(({ holds }) => holds)),
        };
        return own.length > 0 || money?.compared.has(model) === true
          ? findingOf({ ...said, verdict: "agrees", why: "" })
          : findingOf({
              ...said,
              verdict: "not-compared",
              why: "the exports have no quantities of it, and its money has no cost price",
            });
      }),
  ];
}

const byLine = (one: BillFinding, other: BillFinding): number => {
  const [here, there] = [one, other].map(({ model, credential, tier, region }) =>
    [model, tier, region, credential].join(" "),
  );
  return here === there ? inOrder(one.kind, other.kind) : (here ?? "") < (there ?? "") ? -1 : 1;
};

const lack = ({ format, files }: VendorBill, why: string): BillFinding =>
  findingOf({
    provider: format.vendor,
    kind: "all",
    verdict: "not-covered",
    why: `${format.title}: ${why}`,
    exports: files,
  });

const leftOutOf = ({ files, leftOut, ignored, format }: VendorBill): Reconciliation["leftOut"] => [
  ...[...leftOut].map(([why, rows]) => ({ export: files.join(", "), why, rows })),
  ...(ignored === 0
    ? []
    : [{ export: files.join(", "), why: `ignored by the map (${format.vendor}.names)`, rows: ignored }]),
];

const DAY_MS = 86_400_000;
const youngUntil = (days: number, dayMs: number): number => dayMs + DAY_MS * (days + 1);
