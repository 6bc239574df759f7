import type {
  Ask,
  BudgetChange,
  Checkpoint,
  Claim,
  Funded,
  Funding,
  Settled,
  Settlement,
  Swept,
  LedgerTurn,
  Undone,
  UsageSummary,
  AdmitVerdict,
  Voided,
} from "../../src/ledger/ledger.ts";
import { createHouse } from "./house.ts";
import {
  type Account,
  type ClaimEntry,
  emptyState,
  type FundingEntry,
  type Hold,
  newAccount,
  type State,
} from "./state.ts";
import { endOf, periodEndMs, postedTokens } from "./period.ts";
import { LAW, type Rules, type Server } from "./rules.ts";

export const LEASE_MS = 15_000;
const MOST_BOOKED = 2n ** 63n - 1n;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** What a settlement, a void and a sweep have in common. */
type End = Pick<Settlement, "id" | "charge" | "contentDelivered" | "record" | "answer"> & {
  kind: Settlement["outcome"] | "swept" | "voided";
  free: boolean;
  tokensIn: bigint;
  tokensOut: bigint;
};

export type Model = ReturnType<typeof createModel>;

/**
 * The ledger as a specification: one request after another, no locks, no SQL. What PostgreSQL does must equal this.
 * `rules` are the decisions that tests break on purpose.
 */
export function createModel({ startMs, rules = LAW }: { startMs: number; rules?: Rules }) {
  const state: State = emptyState();
  let nowMs = startMs;
  const house = createHouse({ state, rules, nowMs: () => nowMs });
  /** Holds that no sweep can end. */
  const poisoned = new Set<string>();
  let server: Server = { startMs, timeline: 1 };

  const createKey = (keyId: string, unit: Account["unit"]): void => {
    state.accounts.set(keyId, newAccount(unit));
  };
  const changeKey = (keyId: string): void => {
    const account = state.accounts.get(keyId);
    if (!account) return;
    account.version += 1;
    account.status = "active";
  };

  function admit(processId: string, asks: readonly Ask[]): AdmitVerdict[] {
    for (const { keyId } of asks) turn(keyId);
    const verdicts = asks.map((ask) => {
      const verdict = decide(processId, ask);
      const account = state.accounts.get(ask.keyId);
      if (account && ask.rpmLimit !== null && rules.counted(verdict.kind)) count(account);
      return verdict;
    });
    return verdicts.map((verdict, index) => {
      const { keyId, rpmLimit: limit } = asks[index] as Ask;
      const account = state.accounts.get(keyId);
      if (!account || limit === null) return verdict;
      const resetMs = waitMs(account, 1);
      return { ...verdict, rate: { limit, remaining: Math.max(0, limit - countOf(account)), resetMs } };
    });
  }

  /** In this order: a repeated call, the key's version, the rate, the claim, the money. */
  function decide(processId: string, ask: Ask): AdmitVerdict {
    const earlier = state.holds.get(ask.id)?.amount ?? state.charges.get(ask.id)?.granted;
    if (earlier !== undefined) return { kind: "already", amount: earlier };
    const account = state.accounts.get(ask.keyId);
    if (!account || account.version !== ask.keyVersion) return { kind: "stale_key" };
    const retryAfterMs = rateWaitMs(account, ask.rpmLimit);
    if (retryAfterMs > 0) return { kind: "rate_limited", retryAfterMs };
    if (ask.most === 0n) return { kind: "admitted", amount: 0n };
    return (ask.claim && claimVerdict(ask.keyId, ask.claim)) ?? reserve(processId, ask, account);
  }

  function reserve(processId: string, ask: Ask, account: Account): AdmitVerdict {
    const free = rules.free(account);
    if (ask.least > free) return refusal(account, ask.least);
    const amount = rules.grant({ ...ask, free });
    account.held += amount;
    state.holds.set(ask.id, {
      keyId: ask.keyId,
      amount,
      periodNo: account.periodNo,
      processId,
      cost: 0n,
      tokensIn: 0n,
      tokensOut: 0n,
      seq: 0,
      delivered: false,
      admittedAtMs: nowMs,
      deadlineMs: nowMs + ask.lifetimeMs,
    });
    if (ask.claim) {
      const fingerprint = ask.claim.fingerprint.toString("hex");
      const claim: ClaimEntry = {
        fingerprint,
        state: "in_flight",
        holdId: ask.id,
        answer: null,
        expiresAtMs: Infinity,
      };
      state.claims.set(claimName(ask.keyId, ask.claim), claim);
    }
    return { kind: "admitted", amount };
  }

  function refusal(account: Account, least: bigint): AdmitVerdict {
    const posted = account.posted - account.olderHeld;
    const held = account.held - account.olderHeld;
    if (account.unit === "tokens" && posted === 0n) return { kind: "limit_reached", periodEndsAtMs: endOf(account) };
    return { kind: rules.refusal({ least, posted }), posted, held };
  }

  function claimVerdict(keyId: string, claim: Claim): AdmitVerdict | null {
    const found = state.claims.get(claimName(keyId, claim));
    if (found && found.expiresAtMs <= nowMs) state.claims.delete(claimName(keyId, claim));
    if (!found || found.expiresAtMs <= nowMs) return null;
    if (found.fingerprint !== claim.fingerprint.toString("hex")) return { kind: "key_reuse" };
    if (found.state === "in_flight") return { kind: "in_progress" };
    if (found.state === "unavailable") return { kind: "replay_unavailable" };
    if (found.state === "interrupted" || !found.answer) return { kind: "stream_interrupted" };
    return { kind: "replay", answer: { ...found.answer, body: Buffer.from(found.answer.body, "hex") } };
  }

  /** How long until one more request fits; 0 when it fits now. Seconds leave whole, a minute after their last request. */
  function rateWaitMs(account: Account, rpmLimit: number | null): number {
    if (rpmLimit === null) return 0;
    return waitMs(account, rpmLimit);
  }

  function waitMs(account: Account, limit: number): number {
    account.rate = account.rate.filter(({ lastMs }) => lastMs > nowMs - rules.windowMs);
    let count = countOf(account);
    for (const { lastMs, count: left } of account.rate) {
      if (count < limit) return 0;
      count -= left;
      if (count < limit) return lastMs + rules.windowMs - nowMs;
    }
    return 0;
  }

  function count(account: Account): void {
    const newest = account.rate.at(-1);
    if (newest && Math.floor(newest.lastMs / 1_000) >= Math.floor(nowMs / 1_000)) {
      newest.lastMs = nowMs;
      newest.count += 1;
    } else account.rate.push({ lastMs: nowMs, count: 1 });
  }

  function settle(settlements: readonly Settlement[]): Settled[] {
    const batch = house.open(settlements);
    const settled = settlements.map((settlement): Settled => {
      const { id, keyId, outcome, usage } = settlement;
      if (state.holds.get(id)?.keyId === keyId) {
        const tokens = { tokensIn: BigInt(usage.inputTokens), tokensOut: BigInt(usage.outputTokens) };
        const charge = batch.chargeOf(settlement);
        const charged = end({ ...settlement, charge, kind: outcome, free: batch.isFree(settlement), ...tokens });
        batch.book(settlement, charge - charged);
        return { kind: "settled", charged };
      }
      const charge = state.charges.get(id);
      const undone = state.funding.has(`${keyId} #void:${id}`);
      if (!charge || charge.keyId !== keyId || undone || rules.fences(charge.kind)) return { kind: "fenced" };
      return { kind: "already", charged: charge.amount };
    });
    for (const place of batch.overCap()) Object.assign(settled[place] ?? {}, { overCap: true });
    return settled;
  }

  /** The one place where a hold ends. Answers what was paid. */
  function end(ending: End): bigint {
    const [hold, account] = holdAndAccount(ending.id);
    const { free } = ending;
    const counts = ending.kind === "completed" || ending.kind === "timed_out" || ending.kind === "upstream_failed";
    const live = hold.periodNo === account.periodNo;
    const cost = free ? 0n : ending.charge;
    const paid = rules.paid({ cost, amount: hold.amount, spare: live ? account.posted - account.held : 0n });
    const tokensIn = free ? 0n : ending.tokensIn;
    const tokensOut = free ? 0n : ending.tokensOut;

    state.holds.delete(ending.id);
    account.held -= rules.released(hold, paid);
    if (!live) account.olderHeld -= hold.amount;
    if (live) account.used += paid;
    account.posted = account.unit === "credit" ? account.posted - paid : postedTokens(account);
    spend(account, paid);
    account.tokensIn += tokensIn;
    account.tokensOut += tokensOut;
    if (counts) {
      account.requests += 1n;
      account.lastCost = paid;
      const outcome = ending.kind as Settlement["outcome"];
      if (ending.record) state.records.set(ending.id, { keyId: hold.keyId, cost: paid, outcome, atMs: nowMs });
    }
    state.charges.set(ending.id, {
      keyId: hold.keyId,
      granted: hold.amount,
      amount: paid,
      kind: ending.kind,
      periodNo: hold.periodNo,
      tokensIn,
      tokensOut,
      atMs: nowMs,
    });
    closeClaim(ending, paid);
    return paid;
  }

  function closeClaim({ id, kind, contentDelivered, answer }: End, paid: bigint): void {
    for (const [name, claim] of state.claims) {
      if (claim.holdId !== id) continue;
      if (rules.frees({ paid, kind, contentDelivered, answered: answer !== null })) {
        state.claims.delete(name);
        continue;
      }
      claim.state = answer ? "stored" : kind === "completed" ? "unavailable" : "interrupted";
      claim.answer = answer && { ...answer, body: answer.body.toString("hex") };
      claim.expiresAtMs = nowMs + DAY_MS;
    }
  }

  function voidRequests(requests: readonly Undone[]): Voided[] {
    return requests.map(({ id, keyId, contentDelivered = false }) => {
      const account = state.accounts.get(keyId);
      if (state.holds.get(id)?.keyId === keyId) {
        const nothing = {
          charge: 0n,
          tokensIn: 0n,
          tokensOut: 0n,
          contentDelivered,
          record: null,
          answer: null,
        };
        end({ id, kind: "voided", free: true, ...nothing });
        return { kind: "voided", refunded: 0n };
      }
      const charge = state.charges.get(id);
      if (!charge) {
        const nothing = { granted: 0n, amount: 0n, tokensIn: 0n, tokensOut: 0n, atMs: nowMs };
        if (account) state.charges.set(id, { keyId, kind: "voided", periodNo: account.periodNo, ...nothing });
        return { kind: "voided", refunded: 0n };
      }
      if (charge.kind === "voided" || charge.keyId !== keyId || !account) return { kind: "already", refunded: 0n };
      const earlier = state.funding.get(`${keyId} #void:${id}`);
      if (earlier) return { kind: "already", refunded: earlier.amount };
      const refunded = charge.amount - refundsOf(id);
      const entry = { kind: "refund", amount: refunded, periodNo: charge.periodNo, about: id, period: null } as const;
      book(account, { ...entry, keyId, reference: `#void:${id}` });
      house.undid({ id, keyId, amount: refunded });
      refund(account, charge.periodNo, refunded);
      state.records.delete(id);
      rules.forget({ account, charge, records: [...state.records].filter(([, it]) => it.keyId === keyId) });
      for (const [name, claim] of state.claims) {
        if (claim.holdId !== id) continue;
        if (contentDelivered) Object.assign(claim, { state: "interrupted", answer: null, expiresAtMs: nowMs + DAY_MS });
        else state.claims.delete(name);
      }
      return { kind: "voided", refunded };
    });
  }

  function suspend(keyIds: readonly string[]): string[] {
    return [...new Set(keyIds)].filter((keyId) => {
      const account = state.accounts.get(keyId);
      if (account?.status !== "active") return false;
      account.status = "suspended";
      account.version += 1;
      return true;
    });
  }

  function checkpoint(checkpoints: readonly Checkpoint[]): string[] {
    for (const { id, seq, cost, inputTokens, outputTokens, contentDelivered } of checkpoints) {
      const hold = state.holds.get(id);
      if (!hold) continue;
      hold.delivered ||= contentDelivered;
      if (seq <= hold.seq) continue;
      Object.assign(hold, { seq, cost, tokensIn: BigInt(inputTokens), tokensOut: BigInt(outputTokens) });
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
    for (const [name, { expiresAtMs }] of state.claims) if (expiresAtMs <= nowMs) state.claims.delete(name);
    if (batch.length === 0)
      for (const id of state.quarantine.keys()) if (!state.holds.has(id)) state.quarantine.delete(id);
    if (refused) for (const [id, { keyId }] of batch) state.quarantine.set(id, { keyId, sinceMs: nowMs });
    if (refused) return [];
    return batch.map(([id, { keyId, cost, tokensIn, tokensOut, delivered }]) => {
      const last = { charge: cost, tokensIn, tokensOut, contentDelivered: delivered, record: null, answer: null };
      const charged = end({ id, kind: "swept", free: false, ...last });
      house.overran({ id, keyId, amount: cost - charged });
      return { id, keyId, charged };
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

  function fund({ keyId, reference, kind, amount, about }: Funding): Funded {
    const account = state.accounts.get(keyId);
    if (!account) return { kind: "unknown_key" };
    const earlier = state.funding.get(`${keyId} ${reference}`);
    if (earlier && rules.repeats) {
      const same = earlier.kind === kind && earlier.amount === amount && earlier.about === about;
      return { kind: same ? "already" : "reference_reuse" };
    }
    if (kind === "purchase" && rules.onePayment && paid(reference)) return { kind: "reference_reuse" };
    let { periodNo } = account;
    if (kind === "refund") {
      const charge = state.charges.get(about ?? "");
      if (!charge || charge.keyId !== keyId || amount > charge.amount - refundsOf(about)) return { kind: "refused" };
      periodNo = charge.periodNo;
      refund(account, periodNo, amount);
    } else if (account.unit !== "credit") return { kind: "wrong_unit" };
    else if (account.posted + amount < account.held) return { kind: "reserved" };
    else if (account.purchased + amount > MOST_BOOKED) return { kind: "too_much" };
    else {
      account.posted += amount;
      account.purchased += amount;
    }
    book(account, { keyId, reference, kind, amount, periodNo, about, period: null });
    return { kind: "funded" };
  }

  const paid = (reference: string): boolean =>
    [...state.funding].some(([name, it]) => it.kind === "purchase" && name === `${it.keyId} ${reference}`);

  function setBudget({ keyId, reference, budget, period }: BudgetChange): Funded {
    const account = state.accounts.get(keyId);
    if (!account) return { kind: "unknown_key" };
    const earlier = state.funding.get(`${keyId} ${reference}`);
    if (earlier)
      return { kind: earlier.amount === budget && earlier.period === period ? "already" : "reference_reuse" };
    if (account.unit !== "tokens") return { kind: "wrong_unit" };
    turn(keyId);
    const begun = [...state.funding.values()].filter(
      (it) => it.keyId === keyId && (it.kind === "budget" || it.kind === "period_reset"),
    );
    const fromMs = rules.budgetFrom({ nowMs, earlierMs: begun.map(({ atMs }) => atMs) });
    Object.assign(account, { budget, period, periodEndsAtMs: periodEndMs(period, fromMs) });
    account.posted = postedTokens(account);
    const entry = { kind: "budget", amount: budget, periodNo: account.periodNo, about: null, period } as const;
    book(account, { ...entry, keyId, reference });
    return { kind: "funded" };
  }

  /** A new period begins with the first that sees it. What older holds hold stays posted beside the budget, not in it. */
  function turn(keyId: string): void {
    const account = state.accounts.get(keyId);
    if (!account || nowMs < account.periodEndsAtMs) return;
    const { budget, held, period } = account;
    Object.assign(account, { posted: rules.turnedPosted(account), olderHeld: held, used: 0n });
    Object.assign(account, { periodNo: account.periodNo + 1, periodEndsAtMs: periodEndMs(period, nowMs) });
    const entry = { kind: "period_reset", amount: budget, periodNo: account.periodNo, about: null } as const;
    book(account, { ...entry, keyId, reference: `#period:${account.periodNo}`, period: null });
  }

  function book(
    account: Account,
    { reference, ...entry }: Omit<FundingEntry, "seq" | "atMs"> & { reference: string },
  ): void {
    account.fundings += 1;
    state.funding.set(`${entry.keyId} ${reference}`, { ...entry, seq: account.fundings, atMs: nowMs });
  }

  function refund(account: Account, periodNo: number, amount: bigint): void {
    if (account.unit === "credit") {
      account.posted += amount;
      account.purchased += amount;
    } else if (account.periodNo === periodNo) {
      account.used -= amount;
      account.posted = postedTokens(account);
    }
  }

  function spend(account: Account, paid: bigint): void {
    const day = Math.floor(nowMs / DAY_MS);
    // A day that has begun stays when the clock is set back, if it is to begin within an hour.
    if (account.day > day && account.day <= Math.floor((nowMs + HOUR_MS) / DAY_MS)) return;
    account.todaySpend = (account.day === day ? account.todaySpend : 0n) + paid;
    account.day = day;
  }

  function usage(keyId: string): UsageSummary | null {
    const account = state.accounts.get(keyId);
    if (!account) return null;
    const { unit, purchased, budget, lastCost, requests, period } = account;
    const turned = nowMs >= account.periodEndsAtMs;
    const money = turned
      ? { posted: budget, held: 0n, used: 0n, periodEndsAtMs: endOf({ periodEndsAtMs: periodEndMs(period, nowMs) }) }
      : {
          posted: account.posted - account.olderHeld,
          held: account.held - account.olderHeld,
          used: account.used,
          periodEndsAtMs: endOf(account),
        };
    const todaySpend = account.day === Math.floor(nowMs / DAY_MS) ? account.todaySpend : 0n;
    const tokens = { inputTokens: account.tokensIn, outputTokens: account.tokensOut };
    return { unit, ...money, purchased, budget, todaySpend, lastCost, requests, ...tokens };
  }

  const refundsOf = (about: string | null): bigint =>
    [...state.funding.values()].reduce((sum, entry) => (entry.about === about && about ? sum + entry.amount : sum), 0n);

  function holdAndAccount(id: string): [Hold, Account] {
    const hold = state.holds.get(id);
    const account = state.accounts.get(hold?.keyId ?? "");
    if (!hold || !account) throw new Error(`no hold ${id}`);
    return [hold, account];
  }

  return {
    state,
    createKey,
    changeKey,
    admit,
    settle,
    turn: (processId: string, { settlements, asks }: LedgerTurn) => ({
      settled: settle(settlements),
      verdicts: admit(processId, asks),
    }),
    void: voidRequests,
    suspend,
    checkpoint,
    heartbeat,
    sweep,
    fund,
    setBudget,
    usage,
    nowMs: () => nowMs,
    advance: (ms: number): void => void (nowMs += ms),
    restart: (): void => void (server = { ...server, startMs: nowMs }),
    poison: (holdId: string): void => void poisoned.add(holdId),
    promote: (): void => void (server = { ...server, timeline: server.timeline + 1 }),
  };
}

const countOf = ({ rate }: Account): number => rate.reduce((sum, second) => sum + second.count, 0);
const claimName = (keyId: string, { keySha256 }: Claim): string => `${keyId} ${keySha256.toString("hex")}`;
