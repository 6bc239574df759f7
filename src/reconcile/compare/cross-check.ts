import { partsOf } from "../../core/bills/kinds.ts";
import { type Decimal, difference, formatDecimal, sum, ZERO } from "../../core/money/decimal.ts";
import { type BillFinding, findingOf } from "../finding.ts";
import type { VendorBill, BillCell } from "../tally-bills.ts";
import { commonGrain, grainOf, keyOf, type BillPlace, placeAt } from "./dimensions.ts";
import { shifted } from "./find-unit.ts";

type Check = {
  provider: string;
  bill: VendorBill;
  /** Kinds of it that were compared with the journal in another bill. */
  kinds: ReadonlySet<string>;
  primary: readonly { bill: VendorBill; kinds: ReadonlySet<string> }[];
};

/** Two exports of the same day must say the same. */
export function crossCheck({ provider, bill, kinds, primary }: Check): BillFinding[] {
  return [...kinds].flatMap((kind) => {
    const within = new Set(partsOf(kind));
    const others = primary.flatMap((one) =>
      cellsOf(one.bill, provider).filter(
        (cell) => one.kinds.has(cell.kind ?? "") && partsOf(cell.kind ?? "").every((part) => within.has(part)),
      ),
    );
    const own = cellsOf(bill, provider).filter((cell) => cell.kind === kind);
    if (own.length === 0) return [];
    const grain = commonGrain(grainOf(own), grainOf(others));
    const [sums, otherSums] = [sumsAt(own, grain), sumsAt(others, grain)];
    return [...new Set([...sums.keys(), ...otherSums.keys()])].flatMap((key) => {
      const [here, there] = [sums.get(key), otherSums.get(key)];
      const [one, other] = [here?.quantity ?? ZERO, there?.quantity ?? ZERO];
      const place = here?.place ?? there?.place;
      if (place === undefined || isSame(one, other)) return [];
      return [
        findingOf({
          provider,
          ...place,
          kind,
          export: formatDecimal(one),
          difference: formatDecimal(difference(one, other)),
          verdict: "exports-differ",
          why: `${bill.format.title} says ${formatDecimal(one)} where ${primary.map((held) => held.bill.format.title).join(" and ")} says ${formatDecimal(other)}`,
          exports: [...bill.files, ...primary.flatMap((held) => held.bill.files)],
        }),
      ];
    });
  });
}

/** Also in another unit, which the journal was not compared in. */
const isSame = (one: Decimal, other: Decimal): boolean =>
  [0, 3, 6, -3, -6].some((power) => difference(shifted(one, power), other).digits === 0n);

const cellsOf = (bill: VendorBill, provider: string): BillCell[] =>
  bill.cells.filter((cell) => cell.provider === provider && cell.quantity !== null);

function sumsAt(
  cells: readonly BillCell[],
  grain: ReturnType<typeof grainOf>,
): Map<string, { place: BillPlace; quantity: Decimal }> {
  const sums = new Map<string, { place: BillPlace; quantity: Decimal }>();
  for (const cell of cells) {
    const place = placeAt(cell, grain);
    const key = keyOf(place);
    sums.set(key, { place, quantity: sum(sums.get(key)?.quantity ?? ZERO, cell.quantity ?? ZERO) });
  }
  return sums;
}
