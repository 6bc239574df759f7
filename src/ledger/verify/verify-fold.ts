import { formatAmount, type Unit } from "../../core/money/amount.ts";
import type { CounterKind } from "../../core/money/counter.ts";

/**
 * What part of the journal says, added up for requests of one chain that were admitted in one era: between two beginnings of periods.
 * `seen` is the first of the instants at which counters were read that knew of it; null: none of them did.
 */
export type ChainSum = {
  chain: number;
  keyNo: number;
  era: number;
  seen: number | null;
  charges: bigint;
  requests: bigint;
  credits: bigint;
  tokens: bigint;
  inputTokens: bigint;
  outputTokens: bigint;
  refundedCredits: bigint;
  refundedTokens: bigint;
};

/** Fundings of one counter, added up. `limit` is the last amount that was set, and `limitSeq` its place. */
export type FundingSum = {
  counter: number;
  seen: number | null;
  fundings: bigint;
  paidIn: bigint;
  turns: bigint;
  limit: bigint | null;
  limitSeq: bigint | null;
};

/** A counter as it was read, with the open holds of the same instant. */
export type CounterRow = {
  id: number;
  keyId: string | null;
  accountId: string | null;
  kind: CounterKind;
  unit: Unit;
  amount: bigint;
  periodNo: bigint;
  /** Null: it has no beginning. */
  periodFrom: string | null;
  fundings: bigint;
  posted: bigint;
  held: bigint;
  olderHeld: bigint;
  used: bigint;
  funded: bigint;
  refunded: bigint;
  holdSum: bigint;
  olderHoldSum: bigint;
};

/** The totals of a key. */
export type KeyRow = {
  keyId: string;
  keyNo: number;
  spent: bigint;
  requests: bigint;
  inputTokens: bigint;
  outputTokens: bigint;
  version: bigint;
  keyVersion: bigint | null;
  holds: bigint;
};

/** One figure that is not what the books say: of a counter, of a key, or of an account. Amounts are in their unit, as text. */
export type Mismatch = {
  keyId: string | null;
  accountId: string | null;
  counter: number | null;
  column: string;
  expected: string;
  found: string;
};

/** Something read at the n-th instant. */
export type Read<Row> = { row: Row; instant: number };

type Chain = { id: number; own: number; counters: readonly number[] };

/** The sums of a journal, put together piece by piece. */
export class Fold {
  readonly #byChain = new Map<number, ChainSum[]>();
  readonly #byKey = new Map<number, ChainSum[]>();
  readonly #chainsOf = new Map<number, number[]>();
  readonly #fundings = new Map<number, FundingSum[]>();
  readonly #eras: ReadonlyMap<string, number>;

  /** The beginnings of periods, in their order. */
  constructor(boundaries: readonly string[]) {
    this.#eras = new Map(boundaries.map((from, place) => [from, place + 1]));
  }

  addCharges(sums: readonly ChainSum[]): void {
    for (const sum of sums) {
      if (sum.seen === null) continue;
      merge(this.#byChain, sum.chain, sum);
      merge(this.#byKey, sum.keyNo, { ...sum, era: 0 });
    }
  }

  addFundings(sums: readonly FundingSum[]): void {
    for (const sum of sums) if (sum.seen !== null) push(this.#fundings, sum.counter, sum);
  }

  addChain({ id, own, counters }: Chain): void {
    for (const counter of own > 0 ? [own, ...counters] : counters) push(this.#chainsOf, counter, id);
  }

  /** Every counter that the journal speaks of. */
  *counters(): Iterable<number> {
    yield* new Set([...this.#chainsOf.keys(), ...this.#fundings.keys()]);
  }

  /** All of a key at that instant. */
  totalOf(keyNo: number, instant: number): ChainSum {
    return total((this.#byKey.get(keyNo) ?? []).filter(({ seen }) => (seen ?? Infinity) <= instant));
  }

  /** What the journal says of a counter: its charges and refunds since that moment, and all of its fundings. */
  of(counter: number, { periodFrom, instant }: { periodFrom: string | null; instant: number }) {
    const era = periodFrom === null ? 0 : (this.#eras.get(periodFrom) ?? Infinity);
    const sums = (this.#chainsOf.get(counter) ?? []).flatMap((chain) => this.#byChain.get(chain) ?? []);
    const fundings = (this.#fundings.get(counter) ?? []).filter(({ seen }) => (seen ?? Infinity) <= instant);
    const last = fundings.reduce<FundingSum | null>(
      (newest, sum) => (sum.limitSeq !== null && sum.limitSeq > (newest?.limitSeq ?? -1n) ? sum : newest),
      null,
    );
    return {
      charged: total(sums.filter((sum) => sum.era >= era && (sum.seen ?? Infinity) <= instant)),
      paidIn: fundings.reduce((sum, { paidIn }) => sum + paidIn, 0n),
      fundings: fundings.reduce((sum, one) => sum + one.fundings, 0n),
      turns: fundings.reduce((sum, { turns }) => sum + turns, 0n),
      limit: last?.limit ?? 0n,
    };
  }
}

/** A counter held against the fold of its journal. */
export function counterMismatches(fold: Fold, { row, instant }: Read<CounterRow>): Mismatch[] {
  const { charged, paidIn, fundings, turns, limit } = fold.of(row.id, { periodFrom: row.periodFrom, instant });
  const used = row.unit === "credit" ? charged.credits : charged.tokens;
  const refunded = row.unit === "credit" ? charged.refundedCredits : charged.refundedTokens;
  const unspent = limit + refunded - used + row.olderHoldSum;
  const posted = row.kind === "purse" ? paidIn + refunded - used : unspent > row.holdSum ? unspent : row.holdSum;
  const { keyId, accountId, id: counter, unit } = row;
  const amounts: Comparison[] = [
    ["posted", posted, row.posted],
    ["held", row.holdSum, row.held],
    ["older_held", row.olderHoldSum, row.olderHeld],
    ["funded", row.kind === "purse" ? paidIn : 0n, row.funded],
    ["used", used, row.used],
    ["refunded", refunded, row.refunded],
    ["amount", limit, row.amount],
  ];
  const counts: Comparison[] = [
    ["period_no", turns, row.periodNo],
    ["fundings", fundings, row.fundings],
  ];
  const about = { keyId, accountId, counter };
  return [...different(about, amounts, (value) => formatAmount(unit, value)), ...different(about, counts, String)].map(
    (mismatch) => ({ ...mismatch, column: `counter.${mismatch.column}` }),
  );
}

/** The totals of a key held against its charges. */
export function keyMismatches(fold: Fold, { row, instant }: Read<KeyRow>): Mismatch[] {
  const sum = fold.totalOf(row.keyNo, instant);
  const about = { keyId: row.keyId, accountId: null, counter: null };
  const counts: Comparison[] = [
    ["requests", sum.requests, row.requests],
    ["tokens_in", sum.inputTokens, row.inputTokens],
    ["tokens_out", sum.outputTokens, row.outputTokens],
    ["version", row.keyVersion ?? row.version, row.version],
  ];
  return [
    ...different(about, [["spent", sum.credits, row.spent]], (value) => formatAmount("credit", value)),
    ...different(about, counts, String),
  ].map((mismatch) => ({ ...mismatch, column: `balance.${mismatch.column}` }));
}

/** A purse of which only the journal is left was empty when it went. */
export function goneMismatches(fold: Fold, counter: number, instant: number): Mismatch[] {
  const { charged, paidIn } = fold.of(counter, { periodFrom: null, instant });
  const left = paidIn + charged.refundedCredits - charged.credits;
  if (paidIn === 0n || left === 0n) return [];
  const about = { keyId: null, accountId: null, counter };
  return [{ ...about, column: "counter.posted", expected: formatAmount("credit", left), found: "no such counter" }];
}

type Comparison = [column: string, expected: bigint, found: bigint];

const different = (
  about: Pick<Mismatch, "keyId" | "accountId" | "counter">,
  comparisons: readonly Comparison[],
  write: (value: bigint) => string,
): Mismatch[] =>
  comparisons
    .filter(([, expected, found]) => expected !== found)
    .map(([column, expected, found]) => ({ ...about, column, expected: write(expected), found: write(found) }));

const COUNTS = [
  "charges",
  "requests",
  "credits",
  "tokens",
  "inputTokens",
  "outputTokens",
  "refundedCredits",
  "refundedTokens",
] as const;

function total(sums: readonly ChainSum[]): ChainSum {
  const whole: ChainSum = { chain: 0, keyNo: 0, era: 0, seen: null, ...NOTHING };
  for (const sum of sums) for (const count of COUNTS) whole[count] += sum[count];
  return whole;
}

const NOTHING = {
  charges: 0n,
  requests: 0n,
  credits: 0n,
  tokens: 0n,
  inputTokens: 0n,
  outputTokens: 0n,
  refundedCredits: 0n,
  refundedTokens: 0n,
};

/** Adds to what is there of the same era and instant, so that a chain has few sums however many pieces it was read in. */
function merge(into: Map<number, ChainSum[]>, at: number, sum: ChainSum): void {
  const same = into.get(at)?.find(({ era, seen }) => era === sum.era && seen === sum.seen);
  if (same) for (const count of COUNTS) same[count] += sum[count];
  else push(into, at, { ...sum });
}

function push<Value>(into: Map<number, Value[]>, at: number, value: Value): void {
  const values = into.get(at);
  if (values) values.push(value);
  else into.set(at, [value]);
}
