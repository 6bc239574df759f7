import { type Amounts, amountIn } from "../../src/core/money/amount.ts";
import type { Ask } from "../../src/ledger/ledger.ts";
import { ACCOUNT_CAP_PER_HOUR, CAP_PER_HOUR } from "./commands.ts";
import { decisionsOf, type LedgerEvent, settlementsOf } from "./history.ts";
import { LAW, mayWaive } from "./rules.ts";
import {
  type Chain,
  type Counter,
  type HouseKind,
  isLive,
  marksOf,
  namedUnit,
  noticeName,
  type State,
  UNIT_NAMES,
  usedAt,
} from "./state.ts";

export type Witness = { state: State; history: readonly LedgerEvent[] };
type Invariant = (witness: Witness) => string[];

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

type Name = "I1" | "I2" | "I3" | "I4" | "I5" | "I7" | "I8" | "I9" | "I10" | "C1" | "C2" | "C3" | "C4" | "C5";

/**
 * What must hold of a ledger, as far as the ledger alone can witness it. Each answers with its violations. I6 and I11 speak of
 * a ledger at rest, so they are asked for apart. Those with a C are about chains: what I2 and I7 say of the counter of a key, C1
 * and C2 say of those above it.
 */
export const ALWAYS: Record<Name, Invariant> = {
  /** Nothing is made and nothing is lost. */
  I1: ({ state }) =>
    each(state.counters, ({ kind, posted, used, funded, refunded, amount, olderHeld, held }) => {
      if (kind === "purse") return same("posted + used", posted + used, funded + refunded);
      // After a cut below what is held, what is held is all there is.
      return amount + refunded - used + olderHeld >= held
        ? same("posted + used - older holds", posted + used - olderHeld, amount + refunded)
        : same("posted after a cut", posted, held);
    }),

  I2: ({ state }) =>
    each(countersOf(state, "own"), (counter, number) => heldMismatches(state, counter, Number(number))),

  /** No counter of a chain is ever overdrawn. */
  C1: ({ state }) =>
    each(countersOf(state, "above"), (counter, number) => heldMismatches(state, counter, Number(number))),

  /** A charge is equal in every counter of its chain and unit, appears in no other, and its chain is the one it asked with. */
  C2: ({ state, history }) => [
    ...each(countersOf(state, "above"), (counter, number) => foldMismatches(state, counter, Number(number))),
    ...decisionsOf(history).flatMap(({ ask, verdict }) => {
      const booked = state.holds.get(ask.id)?.chain ?? state.charges.get(ask.id)?.chain;
      if (verdict.kind !== "admitted" || !booked || total(ask.most) === 0n) return [];
      const above = booked.counters.filter((number) => number !== booked.own).toSorted((one, other) => one - other);
      return above.join() === ask.chain.counters.join()
        ? []
        : [`${ask.id} asked with ${ask.chain.counters.join()}, has ${above.join()}`];
    }),
    // A period that began after a request was admitted pays no more than what the request holds of it.
    ...each(state.charges, ({ chain, granted, charged, admittedAtMs, atMs }) =>
      (chain?.counters ?? []).flatMap((number) => {
        const counter = state.counters.get(String(number));
        const begunAtMs = state.funding.get(`${number} #turn:${counter?.periodNo}`)?.atMs ?? Infinity;
        // Which was first, a clock that was set back does not say.
        if (!counter || counter.periodFromMs <= admittedAtMs || begunAtMs >= atMs || isSetBack({ state, history }))
          return [];
        const [most, paid] = [amountIn(counter.unit, granted) ?? 0n, amountIn(counter.unit, charged) ?? 0n];
        return paid > most ? [`${paid} charged, ${most} held of an earlier period of ${number}`] : [];
      }),
    ),
  ],

  /** A move never changes a sum, and neither does a counter that is opened or closed. */
  C3: ({ history }) =>
    history.flatMap((event) => {
      if (event.type !== "structure") return [];
      return Object.entries(event.before).flatMap(([number, sums]) =>
        event.after[number] === sums
          ? []
          : [`${event.what}: counter ${number} had ${sums}, has ${event.after[number]}`],
      );
    }),

  /** A chain has at most one purse. */
  C4: ({ state }) => {
    const purses = (counters: readonly number[]): number[] =>
      counters.filter((number) => state.counters.get(String(number))?.kind === "purse");
    const twice = (counters: readonly number[]): string[] =>
      purses(counters).length > 1 ? [`purses ${purses(counters).join()}`] : [];
    return [
      ...each(state.keys, ({ own, counters }) => twice([own, ...counters])),
      ...each(state.holds, ({ chain }) => twice(chain.counters)),
    ];
  },

  /** A threshold that was passed is told, and once in a period and revision or after a funding. */
  C5: ({ state }) => [
    ...[...state.notices.keys()].filter((name) => name.endsWith("again")).map((name) => `${name}: told twice`),
    ...each(state.counters, (counter, number) => {
      const { used, refunded, amount, posted, due, closed, kind } = counter;
      const missed = marksOf(state, Number(number), counter).filter((mark) => {
        if (closed || state.notices.has(noticeName(Number(number), counter, mark))) return false;
        return kind === "limit"
          ? amount > 0n && used - refunded >= usedAt(counter, mark)
          : due === mark && posted <= mark;
      });
      return missed.map(
        (mark) => `at ${mark}: ${used - refunded} of ${amount} used, ${posted} left, and nobody was told`,
      );
    }),
  ],

  /** An end that was confirmed has its one charge, and what the key did not pay the house did. */
  I3: ({ state, history }) =>
    settlementsOf(history).flatMap(({ settlement, result }) => {
      const { id, price, absorbed, waived } = settlement;
      if (result.kind === "fenced") return [];
      const row = state.charges.get(id);
      if (!row || LAW.fences(row.kind)) return [`${id}: ${result.kind}, but no charge of its own`];
      return UNIT_NAMES.flatMap((name) => {
        const [is, charged] = [row.charged[name], result.charged[name]];
        if (is !== charged) return [`${id}: told ${charged} ${name}, charged ${is}`];
        if (is === null || result.kind === "already") return [];
        const bornes = (kind: HouseKind): bigint => state.house.get(`${id} ${kind} ${namedUnit(name)}`)?.amount ?? 0n;
        const asked = (mayWaive(settlement) ? waived : price)[name] ?? 0n;
        return [
          ...same(`${id} ${name}`, is + bornes("overrun") + bornes("failed"), asked),
          ...same(`${id} ${name} absorbed`, bornes("write_off"), absorbed[name] ?? 0n),
        ];
      });
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
    ...each(state.charges, ({ kind, charged }) => {
      const [least, sum] = [smaller(charged.credits ?? 0n, charged.tokens ?? 0n), total(charged)];
      if (least < 0n) return [`a charge of ${least}`];
      return kind === "voided" && sum > 0n ? [`${kind} costs ${sum}`] : [];
    }),
    // A provider's failure, and leaving before it responds, are free as far as the cap goes, and no further.
    ...each(state.house, ({ keyId, kind, atMs }) => {
      const hour = borneWithin(state, keyId, { fromMs: atMs - HOUR_MS, toMs: atMs }).filter(
        (it) => it.kind === "failed",
      );
      return kind === "failed" && sum(hour) > CAP_PER_HOUR ? [`${sum(hour)} waived in an hour`] : [];
    }),
    ...settlementsOf(history).flatMap(({ settlement, result }) => {
      const { id, waived, keyId } = settlement;
      if (!mayWaive(settlement) || result.kind !== "settled" || total(result.charged) === 0n) return [];
      const atMs = state.charges.get(id)?.atMs ?? 0;
      const hour = borneWithin(state, keyId, { fromMs: atMs - HOUR_MS - MINUTE_MS, toMs: atMs });
      const own = amountIn(state.keys.get(keyId)?.unit ?? "credit", waived) ?? 0n;
      // Whose account the others were of then, the state does not say: as many as there are could have used up its cap.
      const all = [...state.keys.keys()].flatMap((id) =>
        borneWithin(state, id, { fromMs: atMs - HOUR_MS - MINUTE_MS, toMs: atMs }),
      );
      return sum(hour) + own > CAP_PER_HOUR || sum(all) + own > ACCOUNT_CAP_PER_HOUR
        ? []
        : [`${id}: a waiver charged ${total(result.charged)} below the cap`];
    }),
    ...history.flatMap((event, index) =>
      event.type === "sweep"
        ? event.swept.flatMap(({ id, charged }) => {
            const most = delivered(history.slice(0, index), id);
            return UNIT_NAMES.filter((name) => (charged[name] ?? 0n) > most[name]).map(
              (name) => `${id} was swept for ${charged[name]} ${name}, more than was reported delivered`,
            );
          })
        : [],
    ),
  ],

  /** The journal alone yields every balance, and whatever was acknowledged stands in it. */
  I7: ({ state, history }) => [
    ...each(state.refunds, ({ holdId, kind, amounts }) =>
      UNIT_NAMES.flatMap((name) => {
        const borne = state.house.get(`${holdId} voided ${namedUnit(name)}`)?.amount ?? 0n;
        return kind === "void" ? same(`borne of a void, ${name}`, borne, amounts[name] ?? 0n) : [];
      }),
    ),
    ...each(countersOf(state, "own"), (counter, number) => foldMismatches(state, counter, Number(number))),
    ...each(state.keys, (key, keyId) => {
      const own = [...state.charges].filter(([id, charge]) => charge.keyId === keyId && !isUndone(state, id));
      return same(
        "spent",
        key.spent,
        own.reduce((all, [, { charged }]) => all + (charged.credits ?? 0n), 0n),
      );
    }),
    ...history.flatMap((event) => {
      if (event.type === "fund" && event.result.kind === "funded") {
        const { counter, reference, amount } = event.funding;
        return same(reference, state.funding.get(`${counter} ${reference}`)?.amount, amount);
      }
      return [];
    }),
    ...repeatedFunding(history),
  ],

  /** Every verdict was true at one instant. */
  I8: ({ history }) =>
    decisionsOf(history).flatMap(({ ask: { id, least, most }, verdict }) => {
      const wrong = (why: string): string[] => [`${id} asked for ${inWords(least)} to ${inWords(most)}: ${why}`];
      if (verdict.kind === "admitted") {
        const { granted } = verdict;
        const bad = UNIT_NAMES.filter((name) => {
          const [low, high, got] = [least[name], most[name], granted[name]];
          return low === null || high === null ? got !== null : got === null || got < low || got > high;
        });
        return bad.length > 0 ? wrong(`granted ${inWords(granted)}`) : [];
      }
      if (verdict.kind !== "insufficient" && verdict.kind !== "reserved" && verdict.kind !== "limit_reached") return [];
      const { named, posted, available } = verdict;
      const need = amountIn(named.unit, least) ?? 0n;
      const smallest = [amountIn(named.unit, posted) ?? 0n, amountIn(named.unit, available) ?? 0n];
      const isTrue =
        (verdict.kind === "reserved" ? named.posted >= need && need > named.available : need > named.posted) &&
        (verdict.kind !== "limit_reached" || named.posted === 0n) &&
        smallest[0]! <= named.posted &&
        smallest[1]! <= named.available;
      return isTrue
        ? []
        : wrong(`${verdict.kind}, ${named.posted} posted, ${named.available} available in ${named.id}`);
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
  (["I1", "I2", "C1", "C4", "C5"] as const).flatMap((name) =>
    ALWAYS[name]({ state, history: [] }).map((violation) => `${name} ${violation}`),
  );

/** I6: after the faults have ended, a lease has run out and the sweeper has been, nothing is held but what is in quarantine. */
export const heldAtRest = ({ counters, holds, quarantine }: State): string[] => {
  const aside = [...holds].filter(([id]) => quarantine.has(id)).map(([, hold]) => hold);
  return [
    ...each(counters, ({ held, unit }, number) => {
      const kept = grantedOf(
        aside.filter(({ chain }) => chain.counters.includes(Number(number))),
        unit,
      );
      return held === kept ? [] : [`${held - kept} is still held`];
    }),
    ...(holds.size === aside.length ? [] : [`${holds.size - aside.length} holds are open`]),
  ];
};

/** All violations with the name of the invariant in front. */
export function violationsOf(witness: Witness): string[] {
  return Object.entries(ALWAYS)
    .filter(([name]) => !isSetBack(witness) || !OF_SPANS.has(name))
    .flatMap(([name, find]) => find(witness).map((violation) => `${name} ${violation}`));
}

/** Whether the clock was. */
const isSetBack = ({ history }: Witness): boolean =>
  history.some(({ atMs }, place) => atMs < (history[place - 1]?.atMs ?? atMs));

/** What these say of a minute or an hour is not true of one in which the clock was set back. */
const OF_SPANS: ReadonlySet<string> = new Set<Name>(["I5", "I10"]);

const isOwn = (state: State, number: number): boolean => [...state.keys.values()].some(({ own }) => own === number);

/** The counters that keys have of their own, or those above them. */
const countersOf = (state: State, which: "own" | "above"): Map<string, Counter> =>
  new Map([...state.counters].filter(([number]) => isOwn(state, Number(number)) === (which === "own")));

function heldMismatches(state: State, counter: Counter, number: number): string[] {
  const { posted, held, olderHeld, unit } = counter;
  const open = [...state.holds.values()].filter(({ chain }) => chain.counters.includes(number));
  return [
    ...(posted >= held && held >= 0n ? [] : [`posted ${posted}, held ${held}`]),
    ...same("held", held, grantedOf(open, unit)),
    ...same(
      "held by older periods",
      olderHeld,
      grantedOf(
        open.filter((hold) => !isLive(hold, counter)),
        unit,
      ),
    ),
  ];
}

const grantedOf = (holds: readonly { granted: Amounts }[], unit: Counter["unit"]): bigint =>
  holds.reduce((all, { granted }) => all + (amountIn(unit, granted) ?? 0n), 0n);

const isUndone = (state: State, id: string): boolean => state.refunds.has(`${id} #void:${id}`);

/** What the journal says of a counter: all charges whose chain has it, of this period. */
function foldMismatches(state: State, counter: Counter, number: number): string[] {
  const counts = (chain: Chain | null): boolean => chain?.counters.includes(number) ?? false;
  const own = [...state.charges].filter(
    ([id, charge]) => counts(charge.chain) && isLive(charge, counter) && !isUndone(state, id),
  );
  const ids = new Set(own.map(([id]) => id));
  const used = own.reduce((all, [, { charged }]) => all + (amountIn(counter.unit, charged) ?? 0n), 0n);
  const refunded = [...state.refunds.values()]
    .filter(({ holdId }) => ids.has(holdId))
    .reduce((all, { amounts }) => all + (amountIn(counter.unit, amounts) ?? 0n), 0n);
  const funded = [...state.funding.values()].filter(
    (it) => it.counter === number && it.kind !== "limit" && it.kind !== "turn",
  );
  return [
    ...same("used", counter.used, used),
    ...same("refunded", counter.refunded, refunded),
    ...same("funded", counter.funded, sum(funded)),
  ];
}

/** What the house bore of a key in the unit of its mode. */
const borneWithin = (state: State, keyId: string, { fromMs, toMs }: { fromMs: number; toMs: number }) =>
  [...state.house.values()].filter(
    (it) =>
      it.keyId === keyId &&
      it.kind !== "voided" &&
      it.unit === state.keys.get(keyId)?.unit &&
      it.atMs <= toMs &&
      it.atMs > fromMs,
  );

/** A reference counts once per purse, and that of a payment once at all. */
function repeatedFunding(history: readonly LedgerEvent[]): string[] {
  const booked = history.flatMap((event) =>
    event.type === "fund" && event.result.kind === "funded" ? [event.funding] : [],
  );
  const names = booked.map(({ counter, reference }) => `${counter} ${reference}`);
  const payments = booked.filter(({ kind }) => kind === "purchase").map(({ reference }) => `payment ${reference}`);
  return [...names, ...payments]
    .filter((name, index, all) => all.indexOf(name) !== index)
    .map((name) => `${name} was applied twice`);
}

/** The admitted requests of each Idempotency-Key, in order. */
function runsByClaim(history: readonly LedgerEvent[]): { atMs: number; ask: Ask }[][] {
  const runs = new Map<string, { atMs: number; ask: Ask }[]>();
  for (const { atMs, ask, verdict } of decisionsOf(history)) {
    if (!ask.claim || total(ask.most) === 0n || verdict.kind !== "admitted") continue;
    const name = `${ask.keyId} ${ask.claim.keySha256.toString("hex")}`;
    runs.set(name, [...(runs.get(name) ?? []), { atMs, ask }]);
  }
  return [...runs.values()];
}

/** The most that was reported delivered for a request. */
function delivered(history: readonly LedgerEvent[], id: string): { credits: bigint; tokens: bigint } {
  const told = history.flatMap((event) =>
    event.type === "checkpoint" ? event.checkpoints.filter((it) => it.id === id) : [],
  );
  const most = (amounts: readonly bigint[]): bigint => amounts.reduce((all, it) => (it > all ? it : all), 0n);
  return {
    credits: most(told.map(({ credits }) => credits)),
    tokens: most(told.map(({ usage }) => BigInt(usage.inputTokens + usage.outputTokens))),
  };
}

function net(state: State, id: string): bigint {
  const refunds = [...state.refunds.values()].filter(({ holdId }) => holdId === id);
  const back = refunds.reduce((all, { amounts }) => all + total(amounts), 0n);
  return total(state.charges.get(id)?.charged ?? { credits: 0n, tokens: 0n }) - back;
}

const total = ({ credits, tokens }: Amounts): bigint => (credits ?? 0n) + (tokens ?? 0n);
const smaller = (one: bigint, other: bigint): bigint => (one < other ? one : other);
const inWords = ({ credits, tokens }: Amounts): string => `${credits}/${tokens}`;

const sum = (rows: readonly { amount: bigint }[]): bigint => rows.reduce((total, { amount }) => total + amount, 0n);

const same = (what: string, is: bigint | undefined, shouldBe: bigint): string[] =>
  is === shouldBe ? [] : [`${what} is ${is}, should be ${shouldBe}`];

const each = <Row>(rows: ReadonlyMap<string, Row>, find: (row: Row, id: string) => string[]): string[] =>
  [...rows].flatMap(([id, row]) => find(row, id).map((violation) => `${id}: ${violation}`));
