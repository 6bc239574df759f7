import type { BalanceRow, Check, Finding, LedgerState } from "./evidence.ts";

/** I1: nothing is made and nothing is lost: what came in is what is there and what was charged. */
export const nothingMadeOrLost: Check = ({ ledger }) =>
  perKey(ledger, (balance) => {
    const { unit, posted, used, purchased, budget, olderHeld, held } = balance;
    if (unit === "credit") return differs("posted + used", posted + used, purchased);
    // After a cut below what is held, what is held is all there is.
    return budget - used + olderHeld >= held
      ? differs("posted + used - older holds", posted + used - olderHeld, budget)
      : differs("posted after a cut", posted, held);
  });

/** I2: a balance covers its holds, and what it says is held is the sum of them. */
export const heldIsCovered: Check = ({ ledger }) => {
  const open = groupBy(ledger.holds, ({ keyId }) => keyId);
  return perKey(ledger, ({ keyId, posted, held }) => [
    ...(posted >= held && held >= 0n ? [] : [`posted ${posted}, held ${held}`]),
    ...differs("held", held, sum(open.get(keyId) ?? [])),
  ]);
};

/** I6: after the faults have ended, a lease has run out and the sweeper has been, nothing is held. */
export const nothingHeld: Check = ({ ledger }) => {
  const balances = perKey(ledger, ({ held }) => differs("held", held, 0n));
  const lost = ledger.holds.map(({ id, keyId, amount }) => `${keyId}: hold ${id} of ${amount} was never ended`);
  return { counted: balances.counted, violations: [...balances.violations, ...lost] };
};

/** I7: the journal alone yields every balance. Counts the holds that have ended. */
export const balancesAreTheFold: Check = ({ ledger }) => {
  const charges = groupBy(ledger.charges, ({ keyId }) => keyId);
  const funding = groupBy(ledger.funding, ({ keyId }) => keyId);
  const open = groupBy(ledger.holds, ({ keyId }) => keyId);
  const { violations } = perKey(ledger, (balance) =>
    foldMismatches(balance, {
      charges: charges.get(balance.keyId) ?? [],
      funding: funding.get(balance.keyId) ?? [],
      holds: open.get(balance.keyId) ?? [],
    }),
  );
  return { counted: ledger.charges.length, violations: [...violations, ...recordMismatches(ledger)] };
};

type Journal = Pick<LedgerState, "charges" | "funding" | "holds">;

function foldMismatches(balance: BalanceRow, { charges, funding, holds }: Journal): string[] {
  const undone = new Set(funding.filter(({ reference }) => reference.startsWith("#void:")).map(({ about }) => about));
  const standing = charges.filter(({ holdId }) => !undone.has(holdId));
  // What was undone leaves neither spending nor funding behind. [MON-45]
  const lasting = funding.filter(({ about }) => about === null || !undone.has(about));
  const counted = standing.filter(({ kind }) => COUNTED.has(kind));
  return [
    ...(balance.unit === "credit"
      ? creditMismatches(balance, { charges: standing, funding: lasting, holds })
      : budgetMismatches(balance, { charges, funding, holds })),
    ...differs("held", balance.held, sum(holds)),
    ...differs("requests", balance.requests, BigInt(counted.length)),
    ...differs("tokens in", balance.tokensIn, total(standing.map(({ tokensIn }) => tokensIn))),
    ...differs("tokens out", balance.tokensOut, total(standing.map(({ tokensOut }) => tokensOut))),
  ];
}

const COUNTED = new Set(["completed", "timed_out", "upstream_failed"]);

function creditMismatches(balance: BalanceRow, { charges, funding }: Journal): string[] {
  const [came, went] = [sum(funding), sum(charges)];
  return [
    ...differs("purchased", balance.purchased, came),
    ...differs("used", balance.used, went),
    ...differs("posted", balance.posted, came - went),
  ];
}

function budgetMismatches(balance: BalanceRow, { charges, funding }: Journal): string[] {
  const current = ({ periodNo }: { periodNo: bigint }): boolean => periodNo === balance.periodNo;
  const refunds = funding.filter((row) => row.kind === "refund" && current(row));
  const used = sum(charges.filter(current)) - sum(refunds);
  const given = funding.filter(({ kind }) => kind === "limit" || kind === "turn");
  const budget = given.toSorted((one, two) => one.atMs - two.atMs).at(-1)?.amount ?? 0n;
  const left = budget - used + balance.olderHeld;
  return [
    ...differs("budget", balance.budget, budget),
    ...differs("used", balance.used, used),
    ...differs("posted", balance.posted, left > balance.held ? left : balance.held),
  ];
}

/** A usage record says what its charge says, and stands for a request that was answered. */
function recordMismatches({ charges, records, funding }: LedgerState): string[] {
  const byId = new Map(charges.map((charge) => [charge.holdId, charge]));
  const recorded = new Set(records.map(({ id }) => id));
  const undone = new Set(funding.map(({ about }) => about));
  const wrong = records.flatMap(({ id, cost, outcome }) => {
    const charge = byId.get(id);
    if (charge?.amount === cost && charge.kind === outcome) return [];
    return [`record ${id} says ${outcome} for ${cost}, its charge ${charge?.kind} for ${charge?.amount}`];
  });
  const missing = charges.filter(
    ({ holdId, kind }) => kind === "completed" && !recorded.has(holdId) && !undone.has(holdId),
  );
  const twice = recorded.size === records.length ? [] : [`${records.length - recorded.size} records stand twice`];
  return [...wrong, ...missing.map(({ holdId }) => `${holdId} was completed and has no record`), ...twice];
}

function perKey({ balances }: LedgerState, find: (balance: BalanceRow) => string[]): Finding {
  const violations = balances.flatMap((balance) => find(balance).map((violation) => `${balance.keyId}: ${violation}`));
  return { counted: balances.length, violations };
}

export function groupBy<Row>(rows: readonly Row[], nameOf: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const name = nameOf(row);
    const group = groups.get(name);
    if (group) group.push(row);
    else groups.set(name, [row]);
  }
  return groups;
}

const total = (values: readonly bigint[]): bigint => values.reduce((so, value) => so + value, 0n);
const sum = (rows: readonly { amount: bigint }[]): bigint => total(rows.map(({ amount }) => amount));

const differs = (what: string, is: bigint, shouldBe: bigint): string[] =>
  is === shouldBe ? [] : [`${what} is ${is}, should be ${shouldBe}`];
