import type { Amounts } from "../../src/core/money/amount.ts";
import { amountIn } from "../../src/core/money/amount.ts";
import type { AdmitVerdict, Ask, Claim, Lack, Settlement } from "../../src/ledger/ledger.ts";
import type { createCounters } from "./model-counters.ts";
import { endOf, postedNow } from "./period.ts";
import type { Rules } from "./rules.ts";
import {
  type Chain,
  type ClaimEntry,
  type Counter,
  type Key,
  namedUnit,
  type Second,
  type State,
  type UnitName,
} from "./state.ts";

const DAY_MS = 86_400_000;
/** What lies further ahead is of a clock that was wrong. */
const MINUTE_MS = 60_000;

/** What a settlement, a void and a sweep have in common. */
export type End = Pick<Settlement, "id" | "contentDelivered" | "record" | "answer"> & {
  kind: Settlement["outcome"] | "swept" | "voided";
  free: boolean;
  cost: (unit: UnitName) => bigint;
  input: number;
  output: number;
};

type Books = ReturnType<typeof createCounters>;
type Parts = { state: State; rules: Rules; books: Books; clockMs: () => number };

/** How the model starts requests: version, rate, claim and money of one after the other. */
// oxlint-disable-next-line max-lines-per-function -- one decision after the other.
export function createRequests({ state, rules, books, clockMs }: Parts) {
  function admit(processId: string, asks: readonly Ask[]): AdmitVerdict[] {
    const verdicts = asks.map((ask) => {
      const verdict = decide(processId, ask);
      const key = state.keys.get(ask.keyId);
      if (key && ask.rpmLimit !== null && rules.counted(verdict.kind)) count(key);
      return verdict;
    });
    return verdicts.map((verdict, index) => {
      const { keyId, rpmLimit: limit } = asks[index] as Ask;
      const key = state.keys.get(keyId);
      if (!key || limit === null) return verdict;
      const resetMs = waitMs(key, 1);
      return { ...verdict, rate: { limit, remaining: Math.max(0, limit - countOf(key)), resetMs } };
    });
  }

  /** In this order: a repeated call, the key's version, the rate, the claim, the money. */
  function decide(processId: string, ask: Ask): AdmitVerdict {
    const earlier = state.holds.get(ask.id)?.granted ?? state.charges.get(ask.id)?.granted;
    if (earlier !== undefined) return { kind: "already", granted: earlier };
    const key = state.keys.get(ask.keyId);
    if (!key || key.version !== ask.keyVersion) return { kind: "stale_key" };
    const retryAfterMs = ask.rpmLimit === null ? 0 : waitMs(key, ask.rpmLimit);
    if (retryAfterMs > 0) return { kind: "rate_limited", retryAfterMs };
    if ((ask.most.credits ?? 0n) === 0n && (ask.most.tokens ?? 0n) === 0n)
      return { kind: "admitted", granted: ask.most };
    return (ask.claim && claimVerdict(ask.keyId, ask.claim)) ?? reserve(processId, ask);
  }

  function reserve(processId: string, ask: Ask): AdmitVerdict {
    const chain = books.chainOf(ask.keyId, ask.chain.counters);
    const begun = begunOf(chain);
    if (begun.kind === "not_begun") return begun;
    const least = rules.units(ask.least);
    const lacking = books
      .counters(chain.counters)
      .filter(([, it]) => (amountIn(it.unit, least) ?? 0n) > rules.free(it));
    if (lacking.length > 0) return refusal(ask, chain, lacking);
    const granted = { credits: grantIn("credits", ask, chain), tokens: grantIn("tokens", ask, chain) };
    for (const [, it] of books.counters(rules.reserves(chain))) it.held += amountIn(it.unit, granted) ?? 0n;
    state.holds.set(ask.id, {
      keyId: ask.keyId,
      chain,
      granted,
      processId,
      credits: 0n,
      input: 0,
      output: 0,
      seq: 0,
      delivered: false,
      admittedAtMs: begun.atMs,
      deadlineMs: clockMs() + ask.lifetimeMs,
    });
    if (ask.claim) {
      const fingerprint = ask.claim.fingerprint.toString("hex");
      const claim = { fingerprint, state: "in_flight", holdId: ask.id, answer: null, expiresAtMs: Infinity } as const;
      state.claims.set(claimName(ask.keyId, ask.claim), { ...claim } satisfies ClaimEntry);
    }
    return { kind: "admitted", granted };
  }

  /** From when a request counts, whose counters a clock that was ahead may have turned; none far ahead, nor before the end of another. */
  function begunOf(chain: Chain): { kind: "begun"; atMs: number } | Extract<AdmitVerdict, { kind: "not_begun" }> {
    const nowMs = books.atMs();
    const all = books.counters(chain.counters);
    const [last] = all.toSorted(([number, one], [otherNumber, other]) =>
      compared([other.periodFromMs, books.openedAt(number)], [one.periodFromMs, books.openedAt(otherNumber)]),
    );
    if (!last || last[1].periodFromMs <= nowMs) return { kind: "begun", atMs: nowMs };
    const [counter, { periodFromMs: beginsAtMs }] = last;
    const ends = Math.min(...all.map(([, { periodEndsAtMs }]) => periodEndsAtMs));
    if (beginsAtMs > nowMs + rules.aheadMs || ends <= beginsAtMs) return { kind: "not_begun", counter, beginsAtMs };
    return { kind: "begun", atMs: beginsAtMs };
  }

  /** On the smallest that is free in its unit. */
  function grantIn(name: UnitName, { least, most, unlimited }: Ask, chain: Chain): bigint | null {
    const free = smallest(chain, namedUnit(name), rules.free);
    const [low, high] = [least[name], most[name]];
    return low === null || high === null || free === null
      ? null
      : rules.grant({ least: low, most: high, unlimited, free });
  }

  function smallest(chain: Chain, unit: Counter["unit"], of: (counter: Counter) => bigint): bigint | null {
    const amounts = books.counters(chain.counters).flatMap(([, it]) => (it.unit === unit ? [of(it)] : []));
    return amounts.reduce<bigint | null>((least, amount) => (least === null || amount < least ? amount : least), null);
  }

  /** Named is the one that renews last; a purse counts as last, and what is empty before what is merely held. */
  function refusal(ask: Ask, chain: Chain, lacking: readonly [number, Counter][]): AdmitVerdict {
    const isEmpty = (it: Counter): boolean => (amountIn(it.unit, ask.least) ?? 0n) > postedNow(it);
    const weight = ([number, it]: [number, Counter]): number[] => [
      isEmpty(it) ? 1 : 0,
      it.kind === "purse" ? 1 : 0,
      it.periodEndsAtMs,
      books.openedAt(number),
    ];
    const [first] = lacking.toSorted((one, other) => compared(weight(other), weight(one)));
    if (!first) throw new Error("nothing refuses it");
    const [id, it] = first;
    const { kind, unit, amount, period } = it;
    const posted = postedNow(it);
    const named = {
      id,
      kind,
      unit,
      posted,
      available: it.posted - it.held,
      amount,
      period,
      renewsAtMs: endOf(it),
      holder: it.accountId,
    };
    const each = (of: (counter: Counter) => bigint): Amounts => ({
      credits: smallest(chain, "credit", of),
      tokens: smallest(chain, "tokens", of),
    });
    const lack: Lack = {
      posted: each(postedNow),
      available: each((c) => c.posted - c.held),
      named,
    };
    if (isEmpty(it) && unit === "tokens" && kind === "limit" && posted === 0n)
      return { kind: "limit_reached", ...lack };
    return { kind: rules.refusal({ empty: isEmpty(it) }), ...lack };
  }

  function claimVerdict(keyId: string, claim: Claim): AdmitVerdict | null {
    const found = state.claims.get(claimName(keyId, claim));
    if (found && found.expiresAtMs <= books.atMs()) state.claims.delete(claimName(keyId, claim));
    if (!found || found.expiresAtMs <= books.atMs()) return null;
    if (found.fingerprint !== claim.fingerprint.toString("hex")) return { kind: "key_reuse" };
    if (found.state === "in_flight") {
      const sinceMs = state.holds.get(found.holdId)?.admittedAtMs ?? books.atMs();
      return { kind: "in_progress", retryAfterMs: Math.max(0, books.atMs() - sinceMs) };
    }
    if (found.state === "unavailable") return { kind: "replay_unavailable" };
    if (found.state === "interrupted" || !found.answer) return { kind: "stream_interrupted" };
    return { kind: "replay", answer: { ...found.answer, body: Buffer.from(found.answer.body, "hex") } };
  }

  /** How long until one more request fits; 0 when it fits now. Seconds leave whole, a minute after their last request. */
  function waitMs(key: Key, limit: number): number {
    const nowMs = books.atMs();
    let left = countOf(key);
    for (const { lastMs, count: gone } of recent(key)) {
      if (left < limit) return 0;
      left -= gone;
      if (left < limit) return Math.min(rules.windowMs, lastMs + rules.windowMs - nowMs);
    }
    return 0;
  }

  const recent = ({ rate }: Key): Second[] =>
    rate.filter(({ lastMs }) => lastMs > books.atMs() - rules.windowMs && lastMs <= books.atMs() + MINUTE_MS);

  const countOf = (key: Key): number => recent(key).reduce((sum, second) => sum + second.count, 0);

  function count(key: Key): void {
    const nowMs = books.atMs();
    key.rate = recent(key);
    const newest = key.rate.at(-1);
    if (newest && Math.floor(newest.lastMs / 1_000) >= Math.floor(nowMs / 1_000)) {
      newest.lastMs = Math.max(newest.lastMs, nowMs);
      newest.count += 1;
    } else key.rate.push({ lastMs: nowMs, count: 1 });
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
      claim.expiresAtMs = books.atMs() + DAY_MS;
    }
  }

  function undoClaim(id: string, contentDelivered: boolean): void {
    for (const [name, claim] of state.claims) {
      if (claim.holdId !== id) continue;
      if (contentDelivered)
        Object.assign(claim, { state: "interrupted", answer: null, expiresAtMs: books.atMs() + DAY_MS });
      else state.claims.delete(name);
    }
  }

  const forgetClaims = (): void => {
    for (const [name, { expiresAtMs }] of state.claims) if (expiresAtMs <= clockMs()) state.claims.delete(name);
  };

  return { admit, closeClaim, undoClaim, forgetClaims };
}

const compared = (one: readonly number[], other: readonly number[]): number => {
  const at = one.findIndex((value, index) => value !== other[index]);
  return at < 0 ? 0 : (one[at] ?? 0) < (other[at] ?? 0) ? -1 : 1;
};

const claimName = (keyId: string, { keySha256 }: Claim): string => `${keyId} ${keySha256.toString("hex")}`;
