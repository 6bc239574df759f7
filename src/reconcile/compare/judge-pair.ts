import { isTool, kindOf, partsOf } from "../../core/bills/kinds.ts";
import {
  compareDecimals,
  type Decimal,
  difference,
  formatDecimal,
  sum,
  wholeNumber,
  ZERO,
} from "../../core/money/decimal.ts";
import type { BillFinding, BillVerdict } from "../finding.ts";
import { addHold, type EdgeCharge, type Holds, noHolds } from "../journal/journal-cell.ts";
import { effectOf, findEdge, type Shift } from "./find-edge.ts";
import type { PairFigures, Pair } from "./pair-up.ts";

/** What a kind comes to once charges at the edge of the day are accounted for. */
export type Judged = {
  kind: string;
  figures: PairFigures;
  /** What the provider has more, charges at the edge aside. */
  rest: Decimal;
  verdict: BillVerdict;
  why: string;
  requests: Holds;
};

export type Judgement = { judged: Judged[]; shift: Shift | null };

type Context = {
  dayMs: number;
  kinds: ReadonlySet<string>;
  /** The bill tells which of its requests were cut off. */
  tellsCut: boolean;
  /** Some of the bill's names are not known, so that what is missing may be under them. */
  asked: boolean;
};

/** What the difference of each kind means. */
export function judgePair(pair: Pair, context: Context): Judgement {
  const kinds = [...pair.figures.keys()];
  const kindOfPart = (part: string): string | null => kindOf(part, context.kinds);
  const shift = shiftOf(pair, kindOfPart, context.dayMs);
  const effects = new Map(kinds.map((kind) => [kind, 0n]));
  if (shift !== null && shift.exact) {
    for (const charge of shift.charges) {
      const effect = effectOf(charge, kinds, kindOfPart);
      for (const [at, kind] of kinds.entries()) effects.set(kind, (effects.get(kind) ?? 0n) + (effect[at] ?? 0n));
    }
  }
  const rests = new Map(
    [...pair.figures].map(([kind, { bill, journal }]) => [
      kind,
      difference(difference(bill, journal), wholeNumber(effects.get(kind) ?? 0n)),
    ]),
  );
  const unrecorded = [...pair.figures].some(([kind, figures]) =>
    isUnrecorded(figures, rests.get(kind) ?? ZERO, context),
  );
  const judged = [...pair.figures].map(([kind, figures]): Judged => {
    const rest = rests.get(kind) ?? ZERO;
    const moved = effects.get(kind) !== 0n;
    return { kind, figures, rest, ...judge({ kind, figures, rest, moved, shift, pair, unrecorded, context }) };
  });
  return { judged, shift };
}

/** Charges at the edge explain all kinds; or all but the output, which may be estimated as well. */
function shiftOf(pair: Pair, kindOfPart: (part: string) => string | null, dayMs: number): Shift | null {
  const wantedOf = (kinds: readonly string[]): Map<string, bigint> | null => {
    const wanted = new Map<string, bigint>();
    for (const kind of kinds) {
      const figures = pair.figures.get(kind);
      const more = figures === undefined ? null : whole(difference(figures.bill, figures.journal));
      if (more === null) return null;
      wanted.set(kind, more);
    }
    return [...wanted.values()].some((count) => count !== 0n) ? wanted : null;
  };
  const all = [...pair.figures.keys()];
  const inputs = all.filter((kind) => !partsOf(kind).includes("output"));
  for (const kinds of inputs.length === all.length || inputs.length === 0 ? [all] : [all, inputs]) {
    const wanted = wantedOf(kinds);
    const shift = wanted === null ? null : findEdge({ edges: pair.edges, wanted, kindOf: kindOfPart, dayMs });
    if (shift !== null) return shift;
  }
  return null;
}

const whole = ({ digits, exponent }: Decimal): bigint | null => {
  if (exponent >= 0) return digits * 10n ** BigInt(exponent);
  const unit = 10n ** BigInt(-exponent);
  return digits % unit === 0n ? digits / unit : null;
};

const isMore = (rest: Decimal): boolean => rest.digits > 0n;
const isUpTo = (one: Decimal, most: Decimal): boolean => compareDecimals(one, most) <= 0;

function isUnrecorded(figures: PairFigures, rest: Decimal, context: Context): boolean {
  return isMore(rest) && !isUpTo(rest, figures.estimated) && !explainedByCut(figures, rest, context);
}

/** What was not cut off agrees, so that all of the difference is in what was. */
function explainedByCut({ journal, estimated, bill, cut }: PairFigures, rest: Decimal, { tellsCut }: Context): boolean {
  const plain = difference(difference(bill, cut), difference(journal, estimated));
  return tellsCut && plain.digits === 0n && rest.digits !== 0n;
}

type Case = {
  kind: string;
  figures: PairFigures;
  rest: Decimal;
  moved: boolean;
  shift: Shift | null;
  pair: Pair;
  unrecorded: boolean;
  context: Context;
};
type Ruling = Pick<BillFinding, "verdict" | "why" | "requests">;

function judge(one: Case): Ruling {
  const { kind, figures, rest, moved, shift, pair, unrecorded, context } = one;
  const of = (verdict: BillVerdict, why: string, requests: Holds = pair.holds): Ruling => ({ verdict, why, requests });
  if (shift !== null && (moved || !shift.exact)) {
    const holds = holdsOf(shift.charges);
    if (rest.digits === 0n && shift.exact) return of("boundary", atEdge(shift.charges, holds), holds);
    if (!shift.exact && rest.digits !== 0n)
      return of(
        "boundary",
        `no more than the ${holds.count} requests within the grace of the day's edge have; what is less than they cannot be told`,
        holds,
      );
  }
  if (rest.digits === 0n) return of("agrees", "");
  const { estimatedHolds } = pair;
  if (isMore(rest)) {
    const more = `${formatDecimal(rest)} that no charge has`;
    if (explainedByCut(figures, rest, context))
      return of(
        "estimated",
        `cut-off requests: ${formatDecimal(figures.estimated)} charged, ${formatDecimal(figures.cut)} made`,
        estimatedHolds,
      );
    if (!isUpTo(rest, figures.estimated))
      return of("unrecorded", `${more}: a retried or failed attempt, or the credential is used elsewhere`);
    const estimate = `${formatDecimal(rest)} more than was charged, of which ${formatDecimal(figures.estimated)} were estimated`;
    return unrecorded
      ? of("estimated+unrecorded", `${estimate}; the attempts that no charge has made some of it`, estimatedHolds)
      : of("estimated", `${estimate}: streams that were cut off`, estimatedHolds);
  }
  const less: Decimal = { ...rest, digits: -rest.digits };
  if (context.asked) return of("not-compared", `${formatDecimal(less)} may be under a name that the map does not have`);
  if (isTool(kind))
    return of(
      "attempts",
      `${formatDecimal(less)} calls that the provider does not bill: attempts are counted as calls`,
    );
  if (isUpTo(less, figures.estimated))
    return of(
      "overestimated",
      `${formatDecimal(less)} less than was charged, of which ${formatDecimal(figures.estimated)} were estimated; a refund is possible`,
      estimatedHolds,
    );
  return of(
    "incomplete",
    `${formatDecimal(less)} are not in the export: it is not complete yet, or the provider did not charge them`,
  );
}

export function holdsOf(charges: readonly EdgeCharge[]): Holds {
  const holds = noHolds();
  for (const { holdId } of charges) addHold(holds, holdId);
  return holds;
}

const SHOWN = 3;

function atEdge(charges: readonly EdgeCharge[], { ids, count }: Holds): string {
  const shown = ids.slice(0, SHOWN).join(", ");
  const [first] = charges;
  const at =
    first === undefined || count > 1 ? "" : `, charged at ${new Date(first.atMs).toISOString().slice(11, 19)}Z`;
  return `${shown}${count > SHOWN ? ` and ${count - SHOWN} more` : ""}${at}: within the grace of the day's edge`;
}

/** Both figures of a line, as they are shown. */
export const shownFigures = ({
  journal,
  bill,
}: PairFigures): Pick<BillFinding, "journal" | "export" | "difference"> => ({
  journal: formatDecimal(journal),
  export: formatDecimal(bill),
  difference: formatDecimal(difference(bill, journal)),
});

export const addUp = (all: readonly Decimal[]): Decimal => all.reduce(sum, ZERO);
