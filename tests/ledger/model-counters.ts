import type { Unit } from "../../src/core/money/amount.ts";
import type { BudgetPeriod } from "../../src/core/money/budget-period.ts";
import type { CounterKind } from "../../src/core/money/counter.ts";
import type { Funded, Funding, LimitChange } from "../../src/ledger/ledger.ts";
import { endOf, periodEndMs, periodStartMs, postedLimit } from "./period.ts";
import type { Rules } from "./rules.ts";
import {
  type Chain,
  type Counter,
  type FundingEntry,
  marksOf,
  newCounter,
  newKey,
  type Notice,
  noticeName,
  type State,
  usedAt,
} from "./state.ts";

const MOST_BOOKED = 2n ** 63n - 1n;
const MOST_COUNTERS = 8;

export type Opening = {
  number: number;
  /** Whose it is: one of the two. */
  accountId: string | null;
  keyId: string | null;
  kind: CounterKind;
  unit: Unit;
  models: string[] | null;
  amount: bigint;
  period: BudgetPeriod;
};
/** No threshold. */
const TOO_LARGE = -1n;

export type Changed = { kind: "changed" | "refused" };

/** Accounts, counters and chains of the model: what they have, and when their periods turn. */
// oxlint-disable-next-line max-lines-per-function -- one decision after the other.
export function createCounters({ state, rules, clockMs }: { state: State; rules: Rules; clockMs: () => number }) {
  /** The instant of the call under way. */
  let atMs = clockMs();
  /** In the order in which they were opened. */
  const opened: number[] = [];

  const counter = (number: number): Counter => {
    const found = state.counters.get(String(number));
    if (!found) throw new Error(`no counter ${number}`);
    return found;
  };
  const counters = (numbers: readonly number[]): [number, Counter][] =>
    numbers.filter((number) => state.counters.has(String(number))).map((number) => [number, counter(number)]);

  /** From the root down to this one. */
  function pathOf(accountId: string): string[] {
    const parentId = state.accounts.get(accountId)?.parentId ?? null;
    return parentId === null ? [accountId] : [...pathOf(parentId), accountId];
  }

  function chainOf(keyId: string, asked: readonly number[]): Chain {
    const key = state.keys.get(keyId);
    if (!key) return { accounts: [], own: 0, counters: [] };
    const seen = rules.sees({ asked, all: key.counters });
    const { own } = key;
    return { accounts: pathOf(key.accountId), own, counters: [...(own === 0 ? [] : [own]), ...seen] };
  }

  /** A call begins. It begins no period: what ends belongs to that of its admission. */
  function lock(): void {
    atMs = clockMs();
  }

  /** The periods that are due by the clock, for requests that start. */
  function renew(keyIds: readonly string[], numbers: readonly number[]): void {
    const own = keyIds.flatMap((keyId) => state.keys.get(keyId)?.own ?? []).filter((number) => number > 0);
    const due = counters([...new Set([...own, ...numbers])]).filter(([, it]) => it.periodEndsAtMs <= clockMs());
    for (const [number, it] of due) turn(number, it);
    arm(due.map(([number]) => number));
  }

  /** For a change of one counter by an operator, which never lies before its period. */
  function change(number: number): void {
    lock();
    renew([], [number]);
    atMs = Math.max(atMs, state.counters.get(String(number))?.periodFromMs ?? -Infinity);
  }

  /** A new period begins with the first request that sees it. What older holds hold stays posted beside the amount, not in it. */
  function turn(number: number, it: Counter): void {
    Object.assign(it, { posted: rules.turnedPosted(it), olderHeld: rules.turnedOlder(it), used: 0n, refunded: 0n });
    const nowMs = clockMs();
    Object.assign(it, { periodFromMs: periodStartMs(it.period, nowMs), periodEndsAtMs: periodEndMs(it.period, nowMs) });
    it.periodNo += 1;
    const entry = { counter: number, kind: "turn", amount: it.amount, period: null } as const;
    book(it, { ...entry, reference: `#turn:${it.periodNo}` });
  }

  function book(it: Counter, entry: Omit<FundingEntry, "seq" | "atMs" | "periodNo"> & { reference: string }): void {
    const { reference, ...rest } = entry;
    it.fundings += 1;
    state.funding.set(`${entry.counter} ${reference}`, { ...rest, periodNo: it.periodNo, seq: it.fundings, atMs });
  }

  function fund({ counter: number, reference, kind, amount }: Funding): Funded {
    change(number);
    const it = state.counters.get(String(number));
    if (!it || it.closed) return { kind: "unknown_counter" };
    const earlier = state.funding.get(`${number} ${reference}`);
    if (earlier && rules.repeats) {
      return { kind: earlier.kind === kind && earlier.amount === amount ? "already" : "reference_reuse" };
    }
    if (kind === "purchase" && rules.onePayment && isPaid(reference)) return { kind: "reference_reuse" };
    if (it.kind !== "purse") return { kind: "not_a_purse" };
    if (it.posted + amount < it.held) return { kind: "reserved" };
    if (it.funded + amount > MOST_BOOKED) return { kind: "too_much" };
    it.posted += amount;
    it.funded += amount;
    book(it, { counter: number, reference, kind, amount, period: null });
    if (amount > 0n) it.revision += 1;
    if (amount > 0n) arm([number]);
    else pass([number]);
    return { kind: "funded" };
  }

  /** The open purse that pays for a key, as the tree is now. */
  function payingPurse(keyId: string, unit: Unit): number | null {
    const key = state.keys.get(keyId);
    if (!key) return null;
    const all = counters([key.own, ...countersAbove(keyId, key.accountId)]);
    return all.find(([, it]) => it.kind === "purse" && it.unit === unit)?.[0] ?? null;
  }

  /** From a closed purse to an open one. */
  function handOn(order: { from: number; to: number; amount: bigint; reference: string }): void {
    const { from, to, amount, reference } = order;
    for (const [number, change] of [
      [to, amount],
      [from, -amount],
    ] as const) {
      const it = counter(number);
      it.posted += change;
      it.funded += change;
      book(it, { counter: number, reference, kind: "adjust", amount: change, period: null });
    }
  }

  const isPaid = (reference: string): boolean =>
    [...state.funding].some(([name, it]) => it.kind === "purchase" && name === `${it.counter} ${reference}`);

  function setLimit({ counter: number, reference, amount, period }: LimitChange): Funded {
    change(number);
    const it = state.counters.get(String(number));
    if (!it || it.closed) return { kind: "unknown_counter" };
    const earlier = state.funding.get(`${number} ${reference}`);
    if (earlier) {
      const same = earlier.kind === "limit" && earlier.amount === amount && earlier.period === period;
      return { kind: same ? "already" : "reference_reuse" };
    }
    if (it.kind !== "limit") return { kind: "not_a_limit" };
    if (it.amount !== amount) it.revision += 1;
    Object.assign(it, { amount, period, periodEndsAtMs: periodEndMs(period, atMs) });
    it.posted = postedLimit(it);
    book(it, { counter: number, reference, kind: "limit", amount, period });
    arm([number]);
    pass([number]);
    return { kind: "funded" };
  }

  const untold = (number: number, it: Counter): bigint[] =>
    marksOf(state, number, it).filter((mark) => rules.tells({ told: state.notices.has(noticeName(number, it, mark)) }));

  /** The next amount at which a threshold fires. */
  function arm(numbers: readonly number[]): void {
    for (const [number, it] of counters(numbers)) {
      const left = marksOf(state, number, it).filter((mark) => !state.notices.has(noticeName(number, it, mark)));
      const marks =
        it.kind === "limit"
          ? left.filter(() => it.amount > 0n).map((mark) => usedAt(it, mark))
          : left.filter((mark) => mark < it.posted).map((mark) => -mark);
      const next = marks.toSorted((one, other) => (one < other ? -1 : 1))[0] ?? null;
      it.due = next === null || it.kind === "limit" ? next : -next;
    }
  }

  /** What has just been charged: those that have come to what is due. */
  function charged(numbers: readonly number[]): void {
    const fired = counters([...new Set(numbers)]).filter(([, { kind, used, refunded, posted, due }]) => {
      return due !== null && (kind === "limit" ? used - refunded >= due : posted <= due);
    });
    if (fired.length > 0) pass(fired.map(([number]) => number));
  }

  function pass(numbers: readonly number[]): void {
    for (const [number, it] of counters(numbers)) {
      const passed = untold(number, it).filter((mark) =>
        it.kind === "limit"
          ? it.amount > 0n && it.used - it.refunded >= usedAt(it, mark)
          : it.posted <= mark && it.due !== null && mark <= it.due,
      );
      tell(number, it, passed, it.kind === "limit" ? "used" : "left");
    }
  }

  /** A limit is at 100 %, and a purse at its end, when it refuses little, or with less than a hundredth left; else the request was too large. */
  function refused({ counter, little }: { counter: number; little: boolean }): void {
    lock();
    for (const [number, it] of counters([counter])) {
      const end = it.kind === "limit" ? 100n : 0n;
      const isFilled = it.kind === "limit" ? it.amount > 0n : it.funded > 0n;
      const marks = untold(number, it).filter((mark) => mark === end && isFilled);
      const isSpent = (it.posted - it.olderHeld) * 100n < (it.kind === "limit" ? it.amount : lastPaid(number));
      if (little || isSpent) tell(number, it, marks, "refused");
      else if (!state.notices.has(noticeName(number, it, TOO_LARGE)))
        tell(
          number,
          it,
          marks.map(() => TOO_LARGE),
          "too_large",
        );
    }
  }

  const lastPaid = (number: number): bigint =>
    [...state.funding.values()]
      .filter(({ counter, amount }) => counter === number && amount > 0n)
      .toSorted((one, other) => one.seq - other.seq)
      .at(-1)?.amount ?? 0n;

  function tell(number: number, it: Counter, marks: readonly bigint[], cause: Notice["cause"]): void {
    for (const mark of marks) {
      const name = noticeName(number, it, mark);
      const { unit, period, periodNo, revision, olderHeld } = it;
      state.notices.set(state.notices.has(name) ? `${name} again` : name, {
        counter: number,
        unit,
        period,
        periodNo,
        revision,
        cause,
        value: mark,
        atMs,
        kind: it.kind === "limit" ? "percent" : "left",
        amount: it.kind === "limit" ? it.amount : it.funded,
        used: it.used - it.refunded,
        posted: it.posted - olderHeld,
        held: it.held - olderHeld,
        renewsAtMs: endOf(it),
      });
    }
    if (marks.length > 0) arm([number]);
  }

  function watch(number: number, marks: readonly bigint[]): void {
    change(number);
    const it = state.counters.get(String(number));
    if (!it || it.closed) return;
    const sorted = [...new Set(marks)].toSorted((one, other) => (one < other ? -1 : 1));
    state.thresholds.set(String(number), { counter: number, marks: sorted.map(String) });
    arm([number]);
    pass([number]);
  }

  const keysBelow = (accountId: string): string[] =>
    [...state.keys].filter(([, key]) => pathOf(key.accountId).includes(accountId)).map(([keyId]) => keyId);

  /** All counters that a key has with this account, whatever their models. */
  function countersAbove(keyId: string | null, accountId: string): number[] {
    const path = pathOf(accountId);
    const key = keyId === null ? undefined : state.keys.get(keyId);
    return [...state.counters]
      .filter(([number, it]) => !it.closed && Number(number) !== key?.own)
      .filter(
        ([, it]) => (it.accountId !== null && path.includes(it.accountId)) || (keyId !== null && it.keyId === keyId),
      )
      .map(([number]) => Number(number))
      .sort((one, other) => one - other);
  }

  function chained(keyIds: readonly string[]): void {
    for (const keyId of keyIds) {
      const key = state.keys.get(keyId);
      if (!key) continue;
      key.counters = countersAbove(keyId, key.accountId);
      key.version += 1;
    }
  }

  function createAccount(accountId: string, parentId: string | null): void {
    state.accounts.set(accountId, { parentId });
  }

  /** Without an account it is its own, and has a counter of its own. */
  function createKey(keyId: string, unit: Unit, of: { accountId: string } | { own: number }): void {
    if ("own" in of) createAccount(keyId, null);
    const key = newKey(unit, "own" in of ? keyId : of.accountId);
    state.keys.set(keyId, key);
    if ("own" in of) {
      key.own = of.own;
      opened.push(of.own);
      const kind = unit === "credit" ? "purse" : "limit";
      const period = kind === "limit" ? "month" : "none";
      state.counters.set(String(of.own), newCounter({ accountId: null, keyId, kind, unit, period }));
    } else key.counters = countersAbove(keyId, of.accountId);
  }

  /** One payer for every key, and no chain that is too long. */
  function isSound(): boolean {
    const chains = [
      ...[...state.accounts.keys()].map((accountId) => countersAbove(null, accountId)),
      ...[...state.keys].map(([keyId, key]) => [
        ...(key.own === 0 ? [] : [key.own]),
        ...countersAbove(keyId, key.accountId),
      ]),
    ];
    return chains.every((chain) => {
      const purses = chain.filter((number) => counter(number).kind === "purse");
      return chain.length <= MOST_COUNTERS && (purses.length <= 1 || !rules.onePurse);
    });
  }

  /** One that is open, of the same holder and kind, counts the same. */
  const isThere = ({ accountId, keyId, kind, unit, period, models }: Opening): boolean =>
    [...state.counters.values()].some(
      (it) =>
        !it.closed &&
        (accountId === null ? it.keyId === keyId : it.accountId === accountId) &&
        it.kind === kind &&
        (kind === "purse" || (it.unit === unit && it.period === period && String(it.models) === String(models))),
    );

  function open(opening: Opening): Changed {
    const { number, accountId, keyId, ...rest } = opening;
    if (state.counters.has(String(number)) || isThere(opening)) return { kind: "refused" };
    const key = state.keys.get(keyId ?? "");
    lock();
    const { period } = rest;
    const span = { periodFromMs: periodStartMs(period, atMs), periodEndsAtMs: periodEndMs(period, atMs) };
    const it = newCounter({ accountId, keyId, ...rest, ...span, posted: rest.amount });
    state.counters.set(String(number), it);
    const isOwn = key?.own === 0 && rest.models === null && !isBusy(keyId);
    if (isOwn) key.own = number;
    if (!isSound()) {
      state.counters.delete(String(number));
      if (isOwn) key.own = 0;
      return { kind: "refused" };
    }
    opened.push(number);
    if (rest.kind === "limit")
      book(it, { counter: number, reference: "#open", kind: "limit", amount: rest.amount, period });
    arm([number]);
    chained(accountId === null ? [keyId ?? ""] : keysBelow(accountId));
    return { kind: "changed" };
  }

  const isBusy = (keyId: string | null): boolean => [...state.holds.values()].some((hold) => hold.keyId === keyId);

  /** A purse must be empty; what lies in a balance must have nothing to do. */
  function close(number: number): Changed {
    const it = state.counters.get(String(number));
    if (!it || it.closed) return { kind: "refused" };
    const key = state.keys.get(it.keyId ?? "");
    const isOwn = key?.own === number;
    if (isOwn && key.accountId === it.keyId) return { kind: "refused" };
    if (it.kind === "purse" && (it.posted !== 0n || it.held > 0n)) return { kind: "refused" };
    if (isOwn && isBusy(it.keyId)) return { kind: "refused" };
    if (isOwn) key.own = 0;
    Object.assign(it, { closed: true, due: null });
    chained(it.accountId === null ? [it.keyId ?? ""] : keysBelow(it.accountId));
    return { kind: "changed" };
  }

  function move(accountId: string, parentId: string): Changed {
    const account = state.accounts.get(accountId);
    const before = account?.parentId ?? null;
    if (!account || before === null || before === parentId || pathOf(parentId).includes(accountId))
      return { kind: "refused" };
    account.parentId = parentId;
    if (!isSound()) {
      account.parentId = before;
      return { kind: "refused" };
    }
    const keyIds = keysBelow(accountId);
    for (const keyId of keyIds)
      for (const number of state.keys.get(keyId)?.counters ?? []) rules.moved(counter(number));
    chained(keyIds);
    return { kind: "changed" };
  }

  /** Puts a key under another account: of its tree, or, of one that is its own account and has nothing, of any. */
  function moveKey(keyId: string, accountId: string): Changed {
    const key = state.keys.get(keyId);
    if (!key || key.accountId === accountId) return { kind: "refused" };
    const isLone = key.accountId === keyId;
    const own = state.counters.get(String(key.own));
    if (isLone && ((own?.kind === "purse" && own.posted !== 0n) || isBusy(keyId))) return { kind: "refused" };
    const before = { accountId: key.accountId, own: key.own };
    const goes = isLone && own && (own.kind === "purse" || own.amount === 0n);
    if (goes) key.own = 0;
    if (goes) own.closed = true;
    key.accountId = accountId;
    const all = countersAbove(keyId, accountId).map(counter);
    const pays = !isLone || key.own > 0 || all.some((it) => it.unit === key.unit && it.models === null);
    if (!isSound() || !pays) {
      Object.assign(key, before);
      if (goes) own.closed = false;
      return { kind: "refused" };
    }
    if (goes) own.due = null;
    chained([keyId]);
    return { kind: "changed" };
  }

  return {
    counter,
    counters,
    chainOf,
    pathOf,
    lock,
    renew,
    fund,
    setLimit,
    watch,
    charged,
    refused,
    createAccount,
    createKey,
    open,
    close,
    move,
    moveKey,
    payingPurse,
    handOn,
    atMs: () => atMs,
    openedAt: (number: number): number => opened.indexOf(number),
  };
}
