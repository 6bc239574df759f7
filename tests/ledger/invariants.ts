import type { Ask } from "../../src/ledger/ledger.ts";
import { CAP_PER_HOUR } from "./commands.ts";
import { decisionsOf, type LedgerEvent, settlementsOf } from "./history.ts";
import { LAW } from "./rules.ts";
import type { Account, HouseKind, State } from "./state.ts";

export type Witness = { state: State; history: readonly LedgerEvent[] };
type Invariant = (witness: Witness) => string[];

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/**
 * What must hold of a ledger, as far as the ledger alone can witness it. Each answers with its violations. I6 and I11 speak of
 * a ledger at rest, so they are asked for apart.
 */
export const ALWAYS: Record<"I1" | "I2" | "I3" | "I4" | "I5" | "I7" | "I8" | "I9" | "I10", Invariant> = {
  /** Nothing is made and nothing is lost. */
  I1: ({ state }) =>
    each(state.accounts, (account) => {
      const { posted, used, purchased, budget, olderHeld, held } = account;
      if (account.unit === "credit") return same("posted + used", posted + used, purchased);
      // After a cut below what is held, what is held is all there is.
      return budget - used + olderHeld >= held
        ? same("posted + used - older holds", posted + used - olderHeld, budget)
        : same("posted after a cut", posted, held);
    }),

  I2: ({ state }) =>
    each(state.accounts, ({ posted, held, olderHeld, periodNo }, keyId) => {
      const open = [...state.holds.values()].filter((hold) => hold.keyId === keyId);
      const older = open.filter((hold) => hold.periodNo < periodNo);
      return [
        ...(posted >= held && held >= 0n ? [] : [`posted ${posted}, held ${held}`]),
        ...same("held", held, sum(open)),
        ...same("held by older periods", olderHeld, sum(older)),
      ];
    }),

  /** An end that was confirmed has its one charge, and what the key did not pay the house did. */
  I3: ({ state, history }) =>
    settlementsOf(history).flatMap(({ settlement: { id, outcome, charge, absorbed, waived }, result }) => {
      if (result.kind === "fenced") return [];
      const row = state.charges.get(id);
      if (!row || LAW.fences(row.kind)) return [`${id}: ${result.kind}, but no charge of its own`];
      if (result.kind === "already") return same(id, result.charged, row.amount);
      const bornes = (kind: HouseKind): bigint => state.house.get(`${id} ${kind}`)?.amount ?? 0n;
      const asked = outcome === "upstream_failed" ? waived : charge;
      return [
        ...same(id, result.charged, row.amount),
        ...same(id, row.amount + bornes("overrun") + bornes("failed"), asked),
        ...same(`${id} absorbed`, bornes("write_off"), absorbed),
      ];
    }),

  I4: ({ state, history }) => {
    const settled = settlementsOf(history).filter(({ result }) => result.kind === "settled");
    const swept = history.flatMap((event) => (event.type === "sweep" ? event.swept : []));
    const ends = [...settled.map(({ settlement }) => settlement.id), ...swept.map(({ id }) => id)];
    return [
      ...ends.filter((id, index) => ends.indexOf(id) !== index).map((id) => `${id} was ended twice`),
      ...runsByClaim(history).flatMap((runs) => {
        const paid = runs.filter(({ ask }) => net(state, ask.id) > 0n);
        const close = paid.filter(({ atMs }, index) => index > 0 && atMs - (paid[index - 1]?.atMs ?? 0) < DAY_MS);
        return close.map(({ ask }) => `${ask.id} is a second positive charge of its Idempotency-Key`);
      }),
    ];
  },

  I5: ({ state, history }) => [
    ...each(state.charges, ({ kind, amount }) => {
      if (amount < 0n) return [`a charge of ${amount}`];
      return kind === "voided" && amount > 0n ? [`${kind} costs ${amount}`] : [];
    }),
    // A provider's failure is free as far as the cap goes, and no further.
    ...each(state.house, ({ keyId, kind, atMs }) => {
      const hour = [...state.house.values()].filter(
        (it) => it.keyId === keyId && it.kind === "failed" && it.atMs <= atMs && it.atMs > atMs - HOUR_MS,
      );
      return kind === "failed" && sum(hour) > CAP_PER_HOUR ? [`${sum(hour)} waived in an hour`] : [];
    }),
    ...settlementsOf(history).flatMap(({ settlement: { id, outcome, waived, keyId }, result, atMs }) => {
      if (outcome !== "upstream_failed" || result.kind !== "settled" || result.charged === 0n) return [];
      const hour = [...state.house.values()].filter(
        (it) => it.keyId === keyId && it.kind !== "voided" && it.atMs <= atMs && it.atMs > atMs - HOUR_MS - MINUTE_MS,
      );
      return sum(hour) + waived > CAP_PER_HOUR ? [] : [`${id}: a failure charged ${result.charged} below the cap`];
    }),
    ...history.flatMap((event, index) =>
      event.type === "sweep"
        ? event.swept
            .filter(({ id, charged }) => charged > delivered(history.slice(0, index), id))
            .map(({ id, charged }) => `${id} was swept for ${charged}, more than was reported delivered`)
        : [],
    ),
  ],

  /** The journal alone yields every balance, and whatever was acknowledged stands in it. */
  I7: ({ state, history }) => [
    ...each(state.funding, ({ about, amount }, name) =>
      name.includes("#void:") ? same("borne of a void", state.house.get(`${about} voided`)?.amount ?? 0n, amount) : [],
    ),
    ...each(state.accounts, (account, keyId) => foldMismatches(state, account, keyId)),
    ...history.flatMap((event) => {
      if (event.type === "fund" && event.result.kind === "funded") {
        const { keyId, reference, amount } = event.funding;
        return same(reference, state.funding.get(`${keyId} ${reference}`)?.amount, amount);
      }
      return [];
    }),
    ...repeatedFunding(history),
  ],

  /** Every verdict was true at one instant. */
  I8: ({ history }) =>
    decisionsOf(history).flatMap(({ ask: { id, least, most }, verdict }) => {
      const wrong = (): string[] => [`${id} asked for ${least} to ${most}: ${describe(verdict)}`];
      if (verdict.kind === "admitted") return verdict.amount >= least && verdict.amount <= most ? [] : wrong();
      if (verdict.kind === "insufficient") return least > verdict.posted ? [] : wrong();
      if (verdict.kind !== "reserved") return [];
      return verdict.posted >= least && least > verdict.posted - verdict.held ? [] : wrong();
    }),

  I9: ({ state, history }) => [
    ...decisionsOf(history).flatMap(({ ask, verdict }) => {
      if (verdict.kind !== "replay") return [];
      const stored = settlementsOf(history).filter(({ settlement }) =>
        settlement.answer?.body.equals(verdict.answer.body),
      );
      return stored.length > 0 ? [] : [`${ask.id} was answered with bytes nobody stored`];
    }),
    ...runsByClaim(history).flatMap((runs) =>
      runs.flatMap(({ atMs, ask }, index) => {
        const later = runs[index + 1];
        const again = later && later.atMs - atMs < DAY_MS && net(state, ask.id) > 0n;
        return again ? [`${later.ask.id} ran after ${ask.id} had been charged`] : [];
      }),
    ),
  ],

  I10: ({ history }) => {
    const decisions = decisionsOf(history);
    const accepted = decisions.filter(({ verdict }) => LAW.counted(verdict.kind));
    const crowded = accepted.flatMap(({ atMs, ask }) => {
      const window = accepted.filter(
        (it) => it.ask.keyId === ask.keyId && it.atMs <= atMs && it.atMs > atMs - MINUTE_MS,
      );
      return ask.rpmLimit !== null && window.length > ask.rpmLimit
        ? [`${ask.keyId}: ${window.length} in a minute`]
        : [];
    });
    const waited = decisions.flatMap(({ atMs, ask, verdict }) => {
      if (verdict.kind !== "rate_limited") return [];
      if (verdict.retryAfterMs > MINUTE_MS) return [`${ask.keyId}: told to wait ${verdict.retryAfterMs} ms`];
      const since = decisions.filter((it) => it.ask.keyId === ask.keyId && it.atMs >= atMs);
      const next = since.find((it) => it.atMs >= atMs + verdict.retryAfterMs);
      const alone = next && !since.some((it) => it.atMs < next.atMs && LAW.counted(it.verdict.kind));
      return alone && next.verdict.kind === "rate_limited" ? [`${ask.keyId}: waited, and was refused again`] : [];
    });
    return [...crowded, ...waited];
  },
};

/** The invariants of the state alone, for every moment in between. */
export const imbalancesOf = (state: State): string[] =>
  (["I1", "I2"] as const).flatMap((name) =>
    ALWAYS[name]({ state, history: [] }).map((violation) => `${name} ${violation}`),
  );

/** I6: after the faults have ended, a lease has run out and the sweeper has been, nothing is held but what is in quarantine. */
export const heldAtRest = ({ accounts, holds, quarantine }: State): string[] => {
  const aside = [...holds].filter(([id]) => quarantine.has(id)).map(([, hold]) => hold);
  return [
    ...each(accounts, ({ held }, id) => {
      const kept = sum(aside.filter(({ keyId }) => keyId === id));
      return held === kept ? [] : [`${held - kept} is still held`];
    }),
    ...(holds.size === aside.length ? [] : [`${holds.size - aside.length} holds are open`]),
  ];
};

/** All violations with the name of the invariant in front. */
export function violationsOf(witness: Witness): string[] {
  return Object.entries(ALWAYS).flatMap(([name, find]) => find(witness).map((violation) => `${name} ${violation}`));
}

function foldMismatches(state: State, account: Account, keyId: string): string[] {
  const own = [...state.charges].filter(([, charge]) => charge.keyId === keyId);
  const charges = own.map(([, charge]) => charge);
  const funding = [...state.funding.values()].filter((entry) => entry.keyId === keyId);
  if (account.unit === "credit") {
    const undone = (id: string | null): boolean => state.funding.has(`${keyId} #void:${id}`);
    const spent = own.filter(([id]) => !undone(id)).map(([, charge]) => charge);
    const paidIn = funding.filter(({ about }) => !undone(about));
    return [...same("purchased", account.purchased, sum(paidIn)), ...same("used", account.used, sum(spent))];
  }
  const current = ({ periodNo }: { periodNo: number }): boolean => periodNo === account.periodNo;
  const refunds = funding.filter(({ kind }) => kind === "refund");
  return same("used", account.used, sum(charges.filter(current)) - sum(refunds.filter(current)));
}

/** A reference counts once per key, and that of a payment once at all. */
function repeatedFunding(history: readonly LedgerEvent[]): string[] {
  const booked = history.flatMap((event) =>
    event.type === "fund" && event.result.kind === "funded" ? [event.funding] : [],
  );
  const names = booked.map(({ keyId, reference }) => `${keyId} ${reference}`);
  const payments = booked.filter(({ kind }) => kind === "purchase").map(({ reference }) => `payment ${reference}`);
  return [...names, ...payments]
    .filter((name, index, all) => all.indexOf(name) !== index)
    .map((name) => `${name} was applied twice`);
}

/** The admitted requests of each Idempotency-Key, in order. */
function runsByClaim(history: readonly LedgerEvent[]): { atMs: number; ask: Ask }[][] {
  const runs = new Map<string, { atMs: number; ask: Ask }[]>();
  for (const { atMs, ask, verdict } of decisionsOf(history)) {
    if (!ask.claim || ask.most === 0n || verdict.kind !== "admitted") continue;
    const name = `${ask.keyId} ${ask.claim.keySha256.toString("hex")}`;
    runs.set(name, [...(runs.get(name) ?? []), { atMs, ask }]);
  }
  return [...runs.values()];
}

/** The most that was reported delivered for a request. */
function delivered(history: readonly LedgerEvent[], id: string): bigint {
  const costs = history.flatMap((event) =>
    event.type === "checkpoint" ? event.checkpoints.filter((it) => it.id === id).map(({ cost }) => cost) : [],
  );
  return costs.reduce((most, cost) => (cost > most ? cost : most), 0n);
}

function net(state: State, id: string): bigint {
  const refunds = [...state.funding.values()].filter(({ about }) => about === id);
  return (state.charges.get(id)?.amount ?? 0n) - sum(refunds);
}

const sum = (rows: readonly { amount: bigint }[]): bigint => rows.reduce((total, { amount }) => total + amount, 0n);

const same = (what: string, is: bigint | undefined, shouldBe: bigint): string[] =>
  is === shouldBe ? [] : [`${what} is ${is}, should be ${shouldBe}`];

const describe = (value: object): string => Object.values(value).join(" ");

const each = <Row>(rows: ReadonlyMap<string, Row>, find: (row: Row, id: string) => string[]): string[] =>
  [...rows].flatMap(([id, row]) => find(row, id).map((violation) => `${id}: ${violation}`));
