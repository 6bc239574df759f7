import { type Amounts, amountIn } from "../../src/core/money/amount.ts";
import type {
  AdmitVerdict,
  Ask,
  Checkpoint,
  Funded,
  Refund,
  Settled,
  Settlement,
  Swept,
  Undone,
  UsageSummary,
  Voided,
} from "../../src/ledger/ledger.ts";
import { createHouse } from "./house.ts";
import { createCounters } from "./model-counters.ts";
import { createRequests, type End } from "./model-requests.ts";
import { endOf, periodEndMs, postedLimit } from "./period.ts";
import { isCounted, LAW, type Rules, type Server } from "./rules.ts";
import {
  type Charge,
  emptyState,
  type Hold,
  isLive,
  type Key,
  namedUnit,
  type State,
  UNIT_NAMES,
  type UnitName,
} from "./state.ts";

export const LEASE_MS = 15_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export type Model = ReturnType<typeof createModel>;

/**
 * The ledger as a specification: one request after another, no locks, no SQL. What PostgreSQL does must equal this.
 * `rules` are the decisions that tests break on purpose.
 */
// oxlint-disable-next-line max-lines-per-function -- one decision after the other.
export function createModel({ startMs, rules = LAW }: { startMs: number; rules?: Rules }) {
  const state: State = emptyState();
  let nowMs = startMs;
  let latestMs = startMs;
  const books = createCounters({ state, rules, clockMs: () => nowMs });
  const house = createHouse({ state, rules, nowMs: books.atMs });
  const requests = createRequests({ state, rules, books, clockMs: () => nowMs });
  /** Holds that no sweep can end. */
  const poisoned = new Set<string>();
  let server: Server = { startMs, timeline: 1 };

  const changeKey = (keyId: string): void => {
    const key = state.keys.get(keyId);
    if (!key) return;
    key.version += 1;
    key.status = "active";
  };

  /** Ends come first: what they give back is there for those that start. */
  function turn(
    processId: string,
    { settlements, asks }: { settlements: readonly Settlement[]; asks: readonly Ask[] },
  ) {
    books.lock();
    const settled = settle(settlements);
    const numbers = [...settlements, ...asks].flatMap(({ chain }) => chain.counters);
    if (asks.length > 0)
      books.renew(
        asks.map(({ keyId }) => keyId),
        numbers,
      );
    return { settled, verdicts: requests.admit(processId, asks) };
  }

  /** Those within their grants first; those beyond it share what is left, one by one. */
  function settle(settlements: readonly Settlement[]): Settled[] {
    const batch = house.open(settlements);
    const ends = settlements.filter(({ id, keyId }, index) => {
      return (
        state.holds.get(id)?.keyId === keyId &&
        settlements.findIndex((other) => other.id === id && other.keyId === keyId) === index
      );
    });
    const isBeyond = (settlement: Settlement): boolean =>
      UNIT_NAMES.some((name) => {
        const granted = state.holds.get(settlement.id)?.granted[name] ?? null;
        return granted !== null && batch.costOf(settlement, namedUnit(name)) > granted;
      });
    const rounds = [ends.filter((it) => !isBeyond(it)), ...ends.filter(isBeyond).map((it) => [it])];
    const charges = new Map<Settlement, Amounts>();
    for (const round of rounds) {
      const drawn = round.flatMap((settlement) => {
        const { outcome, usage } = settlement;
        const cost = (name: UnitName): bigint => batch.costOf(settlement, namedUnit(name));
        // Who left before the provider responded and pays nothing has used nothing.
        const isUsed = outcome !== "client_gone" || !batch.isFree(settlement);
        const tokens = isUsed ? { input: usage.inputTokens, output: usage.outputTokens } : { input: 0, output: 0 };
        const { charged, numbers } = end({
          ...settlement,
          kind: outcome,
          free: batch.isFree(settlement),
          cost,
          ...tokens,
        });
        charges.set(settlement, charged);
        batch.book(settlement, {
          credits: charged.credits === null ? null : cost("credits") - charged.credits,
          tokens: charged.tokens === null ? null : cost("tokens") - charged.tokens,
        });
        return numbers;
      });
      books.charged(drawn);
    }
    const settled = settlements.map((settlement): Settled => {
      const { id, keyId } = settlement;
      const now = charges.get(settlement);
      if (now) return { kind: "settled", charged: now };
      const charge = state.charges.get(id);
      const isUndone = state.refunds.has(`${id} #void:${id}`);
      if (!charge || charge.keyId !== keyId || isUndone || rules.fences(charge.kind)) return { kind: "fenced" };
      return { kind: "already", charged: charge.charged };
    });
    for (const place of batch.overCap()) Object.assign(settled[place] ?? {}, { overCap: true });
    return settled;
  }

  /** The one place where a hold ends. Answers what was paid, equally in every counter of its unit. */
  function end(ending: End): { charged: Amounts; numbers: readonly number[] } {
    const [hold, key] = holdAndKey(ending.id);
    const { free } = ending;
    const now = books.chainOf(hold.keyId, key.counters);
    const numbers = rules.charges(hold.chain, { chain: now });
    const charged = { credits: paidIn("credits", ending, hold), tokens: paidIn("tokens", ending, hold) };
    state.holds.delete(ending.id);
    for (const [, it] of books.counters(numbers)) {
      const [granted, paid] = [amountIn(it.unit, hold.granted) ?? 0n, amountIn(it.unit, charged) ?? 0n];
      it.held -= rules.released(granted, paid);
      if (isLive(hold, it)) it.used += paid;
      else it.olderHeld -= granted;
      it.posted = it.kind === "purse" ? it.posted - paid : postedLimit(it);
    }
    const spent = amountIn(key.unit, charged) ?? 0n;
    spend(key, spent);
    key.spent += charged.credits ?? 0n;
    key.tokensIn += free ? 0n : BigInt(ending.input);
    key.tokensOut += free ? 0n : BigInt(ending.output);
    if (isCounted(ending)) {
      key.requests += 1n;
      key.lastCost = spent;
    }
    state.charges.set(ending.id, {
      keyId: hold.keyId,
      chain: hold.chain,
      granted: hold.granted,
      charged,
      kind: ending.kind,
      input: ending.input,
      output: ending.output,
      reported: isCounted(ending) && ending.record !== null,
      admittedAtMs: hold.admittedAtMs,
      atMs: books.atMs(),
    });
    requests.closeClaim(ending, (charged.credits ?? 0n) + (charged.tokens ?? 0n));
    return { charged, numbers };
  }

  function paidIn(name: UnitName, { cost, free }: End, hold: Hold): bigint | null {
    const amount = hold.granted[name];
    if (amount === null) return null;
    const spares = books
      .counters(hold.chain.counters)
      .filter(([, { unit }]) => unit === namedUnit(name))
      .map(([, it]) => rules.spare(it, hold));
    return rules.paid({ cost: free ? 0n : cost(name), amount, spare: smallest(spares) });
  }

  function voidRequests(undone: readonly Undone[]): Voided[] {
    books.lock();
    const none: Amounts = { credits: 0n, tokens: 0n };
    return undone.map(({ id, keyId, contentDelivered = false }) => {
      if (state.holds.get(id)?.keyId === keyId) {
        release(id, contentDelivered);
        return { kind: "voided", refunded: none };
      }
      const charge = state.charges.get(id);
      if (!charge) {
        if (state.keys.has(keyId)) bar(id, keyId);
        return { kind: "voided", refunded: none };
      }
      if (charge.kind === "voided" || charge.keyId !== keyId) return { kind: "already", refunded: none };
      const earlier = state.refunds.get(`${id} #void:${id}`);
      if (earlier) return { kind: "already", refunded: earlier.amounts };
      return { kind: "voided", refunded: undo(id, charge, contentDelivered) };
    });
  }

  function release(id: string, contentDelivered: boolean): void {
    const nothing = { cost: () => 0n, input: 0, output: 0, contentDelivered, record: null, answer: null };
    const { numbers } = end({ id, kind: "voided", free: true, ...nothing });
    books.charged(numbers);
  }

  function bar(id: string, keyId: string): void {
    const unseen = { chain: null, granted: { credits: null, tokens: null }, charged: { credits: null, tokens: null } };
    const times = { admittedAtMs: books.atMs(), atMs: books.atMs() };
    state.charges.set(id, { keyId, kind: "voided", ...unseen, input: 0, output: 0, reported: false, ...times });
  }

  function undo(id: string, charge: Charge, contentDelivered: boolean): Amounts {
    const { keyId } = charge;
    const key = state.keys.get(keyId);
    if (!key) throw new Error(`no key ${keyId}`);
    const amounts = leftOf(id, charge);
    const earlier = refundedOf(id);
    state.refunds.set(`${id} #void:${id}`, { keyId, holdId: id, kind: "void", amounts, atMs: books.atMs() });
    for (const name of UNIT_NAMES) house.undid({ id, keyId, unit: namedUnit(name), amount: amounts[name] ?? 0n });
    giveBack(charge, amounts);
    passOn(id, charge, amounts);
    for (const [, it] of books.counters(rules.refunds(charge.chain ?? NO_CHAIN))) {
      if (!isLive(charge, it)) continue;
      const charged = amountIn(it.unit, charge.charged) ?? 0n;
      rules.uncount(it, { charged, refunded: amountIn(it.unit, earlier) ?? 0n });
      it.refunded -= amountIn(it.unit, amounts) ?? 0n;
    }
    const overran = [...state.house].some(([name]) => name.startsWith(`${id} overrun`));
    const free = charge.kind === "upstream_failed" && total(charge.charged) === 0n && !overran;
    const others = [...state.charges].filter(
      ([other, it]) => it.keyId === keyId && !state.refunds.has(`${other} #void:${other}`),
    );
    rules.forget({ key, charge, free, others });
    requests.undoClaim(id, contentDelivered);
    return amounts;
  }

  const refundedOf = (id: string): Amounts => {
    const rows = [...state.refunds.values()].filter(({ holdId }) => holdId === id);
    const sum = (name: UnitName): bigint => rows.reduce((all, { amounts }) => all + (amounts[name] ?? 0n), 0n);
    return { credits: sum("credits"), tokens: sum("tokens") };
  };

  function leftOf(id: string, { charged }: Charge): Amounts {
    const refunded = refundedOf(id);
    const left = (name: UnitName): bigint | null =>
      charged[name] === null ? null : charged[name] - (refunded[name] ?? 0n);
    return { credits: left("credits"), tokens: left("tokens") };
  }

  /** To a purse always, to a limit while the period lasts in which it was admitted. */
  function giveBack(charge: Charge, amounts: Amounts): void {
    for (const [, it] of books.counters(rules.refunds(charge.chain ?? NO_CHAIN))) {
      if (!isLive(charge, it)) continue;
      const back = amountIn(it.unit, amounts) ?? 0n;
      it.refunded += back;
      it.posted = it.kind === "purse" ? it.posted + back : postedLimit(it);
    }
  }

  /** What a closed purse was given goes on to the one that pays for the key now. */
  function passOn(id: string, { keyId, chain }: Charge, amounts: Amounts): void {
    const times = [...state.refunds.values()].filter(({ holdId }) => holdId === id).length;
    for (const [from, it] of books.counters(chain?.counters ?? [])) {
      const amount = amountIn(it.unit, amounts) ?? 0n;
      const to = it.kind === "purse" && it.closed && amount > 0n ? books.payingPurse(keyId, it.unit) : null;
      if (to !== null) books.handOn({ from, to, amount, reference: `#passed:${id}:${times}` });
    }
  }

  function refund({ keyId, reference, about, amounts }: Refund): Funded {
    books.lock();
    if (!state.keys.has(keyId)) return { kind: "unknown_key" };
    const named = [...state.refunds].find(
      ([name, it]) => it.keyId === keyId && name === `${it.holdId} ${reference}`,
    )?.[1];
    const same = (one: Amounts, other: Amounts): boolean =>
      UNIT_NAMES.every((name) => (one[name] ?? 0n) === (other[name] ?? 0n));
    if (named && rules.repeats) {
      return { kind: named.holdId === about && same(named.amounts, amounts) ? "already" : "reference_reuse" };
    }
    const charge = state.charges.get(about);
    if (charge?.keyId !== keyId) return { kind: "refused" };
    const left = leftOf(about, charge);
    if (UNIT_NAMES.some((name) => (amounts[name] ?? 0n) > (left[name] ?? 0n))) return { kind: "refused" };
    state.refunds.set(`${about} ${reference}`, { keyId, holdId: about, kind: "refund", amounts, atMs: books.atMs() });
    giveBack(charge, amounts);
    passOn(about, charge, amounts);
    return { kind: "funded" };
  }

  function suspend(keyIds: readonly string[]): string[] {
    return [...new Set(keyIds)].filter((keyId) => {
      const key = state.keys.get(keyId);
      if (key?.status !== "active") return false;
      key.status = "suspended";
      key.version += 1;
      return true;
    });
  }

  function checkpoint(checkpoints: readonly Checkpoint[]): string[] {
    for (const { id, seq, credits, usage, contentDelivered } of checkpoints) {
      const hold = state.holds.get(id);
      if (!hold) continue;
      hold.delivered ||= contentDelivered;
      if (seq <= hold.seq) continue;
      Object.assign(hold, { seq, credits, input: usage.inputTokens, output: usage.outputTokens });
    }
    return checkpoints.filter(({ id }) => !state.holds.has(id)).map(({ id }) => id);
  }

  function heartbeat(processId: string): Date {
    const found = state.processes.get(processId);
    const renewingSinceMs = found && rules.renews({ nowMs, server, process: found }) ? found.renewingSinceMs : nowMs;
    state.processes.set(processId, { renewingSinceMs, leaseUntilMs: nowMs + LEASE_MS, timeline: server.timeline });
    return new Date(nowMs + LEASE_MS);
  }

  function sweep(sweeperId: string, limit: number): Swept[] {
    const sweeper = state.processes.get(sweeperId);
    if (!sweeper || !rules.maySweep({ nowMs, server, sweeper })) return [];
    const batch = sweepable(limit);
    const refused = batch.some(([id]) => poisoned.has(id));
    if (refused && limit > 1) return [];
    for (const [id, { leaseUntilMs }] of state.processes) if (leaseUntilMs < nowMs - DAY_MS) state.processes.delete(id);
    requests.forgetClaims();
    if (batch.length === 0)
      for (const id of state.quarantine.keys()) if (!state.holds.has(id)) state.quarantine.delete(id);
    books.lock();
    if (refused) for (const [id, { keyId }] of batch) state.quarantine.set(id, { keyId, sinceMs: nowMs });
    return refused ? [] : swept(batch);
  }

  /** At their last checkpoints: those within their grants first, as when they are settled. */
  function swept(batch: readonly [string, Hold][]): Swept[] {
    const cost =
      ({ credits, input, output }: Hold) =>
      (name: UnitName): bigint =>
        name === "credits" ? credits : BigInt(input + output);
    const isBeyond = ([, hold]: [string, Hold]): boolean =>
      UNIT_NAMES.some((name) => hold.granted[name] !== null && cost(hold)(name) > hold.granted[name]);
    const rounds = [batch.filter((it) => !isBeyond(it)), ...batch.filter(isBeyond).map((it) => [it])];
    return rounds.flatMap((round) => {
      const ended = round.map(([id, hold]) => {
        const { keyId, input, output, delivered } = hold;
        const last = { cost: cost(hold), input, output, contentDelivered: delivered, record: null, answer: null };
        const { charged, numbers } = end({ id, kind: "swept", free: false, ...last });
        for (const name of UNIT_NAMES) {
          const paid = charged[name];
          if (paid !== null) house.overran({ id, keyId, unit: namedUnit(name), amount: cost(hold)(name) - paid });
        }
        return { id, keyId, charged, numbers };
      });
      books.charged(ended.flatMap(({ numbers }) => numbers));
      return ended.map(({ id, keyId, charged }) => ({ id, keyId, charged }));
    });
  }

  /** Holds that nobody will end any more, the oldest first. Those of keys with a quarantined one wait until there are no others. */
  function sweepable(limit: number): [string, Hold][] {
    const keys = new Set([...state.quarantine.values()].map(({ keyId }) => keyId));
    const lost = [...state.holds]
      .filter(([id]) => !state.quarantine.has(id))
      .filter(([, hold]) => rules.lost({ hold, nowMs, process: state.processes.get(hold.processId) }))
      .sort(([one], [other]) => (one < other ? -1 : 1));
    const first = lost.filter(([, { keyId }]) => !keys.has(keyId));
    return (first.length > 0 ? first : lost).slice(0, limit);
  }

  function spend(key: Key, paid: bigint): void {
    const day = Math.floor(books.atMs() / DAY_MS);
    // A day that has begun stays when the clock is set back, if it is to begin within an hour.
    if (key.day > day && key.day <= Math.floor((books.atMs() + HOUR_MS) / DAY_MS)) return;
    key.todaySpend = (key.day === day ? key.todaySpend : 0n) + paid;
    key.day = day;
  }

  function usage(keyId: string): UsageSummary | null {
    const key = state.keys.get(keyId);
    if (!key) return null;
    const { unit, spent, lastCost, requests: made, own } = key;
    const todaySpend = key.day === Math.floor(nowMs / DAY_MS) ? key.todaySpend : 0n;
    const counters = books.counters([...(own === 0 ? [] : [own]), ...key.counters]).map(([id, it]) => {
      const turned = nowMs >= it.periodEndsAtMs;
      const { accountId, kind, unit: its, models, amount, period, funded } = it;
      const now = turned
        ? { posted: amount, held: 0n, used: 0n, refunded: 0n }
        : { posted: it.posted - it.olderHeld, held: it.held - it.olderHeld, used: it.used, refunded: it.refunded };
      const renewsAtMs = turned ? endOf({ periodEndsAtMs: periodEndMs(period, nowMs) }) : endOf(it);
      const what = { id, own: id === own, accountId, holder: accountId, kind, unit: its, models, amount, period };
      return { ...what, ...now, funded, renewsAtMs };
    });
    const tokens = { inputTokens: key.tokensIn, outputTokens: key.tokensOut };
    return { unit, spent, todaySpend, lastCost, requests: made, ...tokens, counters };
  }

  function holdAndKey(id: string): [Hold, Key] {
    const hold = state.holds.get(id);
    const key = state.keys.get(hold?.keyId ?? "");
    if (!hold || !key) throw new Error(`no hold ${id}`);
    return [hold, key];
  }

  return {
    state,
    ...books,
    changeKey,
    turn,
    admit: (processId: string, asks: readonly Ask[]): AdmitVerdict[] =>
      turn(processId, { settlements: [], asks }).verdicts,
    settle: (settlements: readonly Settlement[]): Settled[] => turn("", { settlements, asks: [] }).settled,
    void: voidRequests,
    suspend,
    checkpoint,
    heartbeat,
    sweep,
    refund,
    usage,
    nowMs: () => nowMs,
    latestMs: () => latestMs,
    advance: (ms: number): void => {
      nowMs += ms;
      latestMs = Math.max(latestMs, nowMs);
    },
    restart: (): void => void (server = { ...server, startMs: nowMs }),
    poison: (holdId: string): void => void poisoned.add(holdId),
    promote: (): void => void (server = { ...server, timeline: server.timeline + 1 }),
  };
}

const NO_CHAIN = { accounts: [], own: 0, counters: [] };
const total = ({ credits, tokens }: Amounts): bigint => (credits ?? 0n) + (tokens ?? 0n);
const smallest = (amounts: readonly bigint[]): bigint =>
  amounts.reduce((least, it) => (it < least ? it : least), amounts[0] ?? 0n);
