import type { Payer } from "../../core/money/payer.ts";
import type { Clock } from "../../core/clock.ts";
import { type RouteBreaker, createRouteBreaker, type TrialNews, type Ticket } from "./route-breaker.ts";
import type { RouteStanding } from "./order-routes.ts";
import type { Pace } from "../../core/request/pace.ts";
import { RoutePace, type PaceSample } from "./route-pace.ts";
import { createHearsay, type Hearsay } from "../news/hearsay.ts";
import type { HeardNews, RouteNews } from "../news/route-news.ts";
import { RouteSlowness, type Slowness } from "./route-slowness.ts";
import { createSuccessRate, type SuccessRate } from "./success-rate.ts";
import type { BreakerChange, RouteEnding, RouteFailure, RouteReport } from "./route-report.ts";
import type { Route } from "../../core/catalogue/route.ts";

const READY: RouteStanding = { verdict: "ready" };
const GIVEN_UP: RouteStanding = { verdict: "open" };
/** Others say that it fails. It is asked all the same where there is no other: what others say refuses nothing. */
const DOUBTED: RouteStanding = { verdict: "doubtful", badness: 1 };
const LAST_RESORT: RouteStanding = { verdict: "doubtful", badness: 2 };
/** So many whom it fails are not all at fault. */
const ENOUGH_PAYERS = 3;
/** A stream is overdue after so many times what its route usually takes to begin, and not before this many milliseconds. */
const OVERDUE = { times: 8, leastMs: 15_000 };
const ENOUGH_OVERDUE = 5;
/** For so long at most, what others say makes other routes preferred to this one, and fewer of its failures enough. */
const LONGEST_DOUBT_MS = 10_000;
/** For so long at most, another process's 429 makes other routes preferred. */
const LONGEST_HEARD_LIMIT_MS = 30_000;
const POOR_BELOW = 0.7;
const MOST_ERRORS = 5;
const MOST_CHANGES = 50;
/** More than it takes to open a breaker. */
const MOST_HEARD_OF = 64;
/** What the newest call weighs in an average. */
const NEWEST = 0.2;
/** Shorter answers say more about timers than about speed. */
const SHORTEST_ANSWER_MS = 50;

type Parts = {
  route: Route;
  clock: Clock;
  random: () => number;
  onChange: (state: "closed" | "open", reason: string, onHearsay: boolean) => void;
  onSlowness: (slowness: Slowness | null) => void;
  /** Tells the other processes. */
  tell: (news: RouteNews) => void;
};

/** One route as its calls show it, for as long as this process knows it. */
export class RouteRecord {
  readonly #clock: Clock;
  readonly #breaker: RouteBreaker;
  readonly #rate: SuccessRate;
  readonly #errors: (RouteFailure & { atMs: number })[] = [];
  readonly #changes: BreakerChange[] = [];
  readonly #knownSinceMs: number;
  readonly #counted = { succeeded: 0, failed: 0, rateLimited: 0 };
  #route: Route;
  /** Who has spoken against it since an answer ended well, in a way that counts once. */
  readonly #heardOf = new Set<Payer>();
  /** Whose calls have failed since then at all; null is nobody in particular. */
  readonly #failedFor = new Set<Payer | null>();
  /** The call of a payer whom it has not failed, while it is given up. */
  #newcomer: Ticket | null = null;
  /** Streams that wait for their first byte, oldest first. Whenever the route answers anybody, they are forgotten. */
  readonly #waiting = new Set<Begun>();
  #callsInProgress = 0;
  #coolUntilMs = 0;
  /** Beginnings and ends of calls in their order: what began before the last good answer says nothing about the route since. */
  #turn = 0;
  #answeredAt = 0;
  #succeededAt = 0;
  #firstByteMs: number | null = null;
  #streamBeginsMs: number | null = null;
  #tokensPerSecond: number | null = null;
  readonly #pace = new RoutePace();
  readonly #slowness: RouteSlowness;
  readonly #tell: (news: RouteNews) => void;
  /** Others say that it fails, or that it asked them to be left alone. */
  readonly #doubts: Hearsay;
  /** The turn at which they said so: what began before says nothing against it. */
  #doubtedAt = 0;
  readonly #heardLimit: Hearsay;
  #heard: RouteReport["heard"] = null;

  constructor({ route, clock, random, onChange, onSlowness, tell }: Parts) {
    this.#route = route;
    this.#clock = clock;
    this.#knownSinceMs = clock.nowMs();
    this.#rate = createSuccessRate(clock);
    this.#slowness = new RouteSlowness(clock.elapsedMs, onSlowness);
    this.#tell = tell;
    this.#doubts = createHearsay(clock, LONGEST_DOUBT_MS);
    this.#heardLimit = createHearsay(clock, LONGEST_HEARD_LIMIT_MS);
    this.#breaker = createRouteBreaker({
      elapsedMs: clock.elapsedMs,
      random,
      onChange: (state, { onHearsay }) => {
        const reason = state === "open" ? (this.#errors.at(-1)?.reason ?? "") : "answered";
        // They have seen it fail many.
        if (onHearsay) this.#failedFor.add(null);
        const atMs = clock.nowMs();
        const untilMs = state === "open" ? atMs + Math.round(this.#breaker.remainingMs()) : null;
        if (this.#changes.push({ atMs, state, reason, untilMs, onHearsay }) > MOST_CHANGES) this.#changes.shift();
        onChange(state, reason, onHearsay);
      },
      onFinding: (finding) => this.#tell(this.#newsOf(finding)),
    });
  }

  /** Routes are made anew with every catalogue; the limit that holds is the newest. */
  standing(route: Route, payer?: Payer): RouteStanding {
    this.#route = route;
    const { concurrencyLimit } = route;
    if (concurrencyLimit !== null && this.#callsInProgress >= concurrencyLimit) return { verdict: "full" };
    if (this.#breaker.state() === "closed" && this.#isSilent()) this.#giveUp();
    const state = this.#breaker.state();
    const trial = this.#breaker.trial();
    if (trial === "answered") return LAST_RESORT;
    if (state === "open" || trial === "waiting") return this.#mayTry(payer) ? LAST_RESORT : GIVEN_UP;
    const coolingMs = Math.max(this.#coolingMs(), this.#heardLimit.remainingMs());
    if (coolingMs > 0) return { verdict: "doubtful", badness: 1 + coolingMs / (coolingMs + 1) };
    if (state === "closed" && this.#doubts.isBelieved()) return DOUBTED;
    const rate = this.#rate.value();
    // The trial of a breaker is due however gloomy the past.
    if (state === "half_open" || rate >= POOR_BELOW) return READY;
    return { verdict: "doubtful", badness: 1 - rate };
  }

  begin({ payer, streamed = false, probe = false }: CallBegins = {}): WatchedCall {
    this.#callsInProgress++;
    const isNewcomer = !probe && this.#breaker.state() === "open";
    const ticket = this.#breaker.began({ probe });
    if (isNewcomer) this.#newcomer = ticket;
    const turn = ++this.#turn;
    const begun = { ticket, turn, streamed, beganAtMs: this.#clock.elapsedMs(), payer: payer ?? null };
    this.#slowness.look(this.#waiting);
    if (streamed) this.#waiting.add(begun);
    return new WatchedCall(this, begun);
  }

  /** What another process says of it. By itself that never keeps a request away: it makes this process doubt, or try sooner or later. */
  heard(news: HeardNews): void {
    const { from, says } = news;
    this.#heard = { atMs: this.#clock.nowMs(), from, says, reason: says === "paused" ? news.reason : null };
    const isPaused = this.#breaker.state() !== "closed";
    switch (news.says) {
      case "paused":
        if (isPaused) return this.#breaker.othersFailed(news.restsMs);
        // What one or two payers ask there may be why it fails.
        if (news.payers === "many" && this.#doubts.believe(LONGEST_DOUBT_MS)) this.#doubtedAt = this.#turn;
        if (this.#doubts.isBelieved()) this.#breaker.doubted();
        return;
      case "trying":
        return isPaused ? this.#breaker.othersTry() : undefined;
      case "answered":
        if (isPaused) this.#breaker.othersSucceeded();
        this.#doubts.refuted();
        return;
      case "limited":
        this.#heardLimit.believe(news.restsMs);
        return;
      default:
        return news satisfies never;
    }
  }

  #newsOf(finding: TrialNews): RouteNews {
    const { id: routeId } = this.#route;
    if (finding !== "failed") return { routeId, says: finding };
    const reason = this.#errors.at(-1)?.reason ?? "";
    const restsMs = Math.round(this.#breaker.remainingMs());
    return { routeId, says: "paused", reason, restsMs, payers: this.#hasFailedMany() ? "many" : "few" };
  }

  #hasFailedMany(): boolean {
    return this.#failedFor.size >= ENOUGH_PAYERS || this.#failedFor.has(null);
  }

  /** How long until a request that no other route can serve may try it. */
  restsMs(): number {
    return this.#breaker.state() === "closed" ? this.#coolingMs() : this.#breaker.probeInMs();
  }

  /** Several payers wait for streams that should have begun long ago, and nobody has been answered since. */
  #isSilent(): boolean {
    const [oldest] = this.#waiting;
    if (oldest === undefined || this.#streamBeginsMs === null) return false;
    const latestMs = this.#clock.elapsedMs() - Math.max(OVERDUE.leastMs, OVERDUE.times * this.#streamBeginsMs);
    if (oldest.beganAtMs > latestMs) return false;
    if (this.#doubts.isBelieved()) return true;
    const payers = new Set<Payer | null>();
    let calls = 0;
    for (const { beganAtMs, payer } of this.#waiting) {
      if (beganAtMs > latestMs) return false;
      payers.add(payer);
      if (++calls >= ENOUGH_OVERDUE && (payers.size >= ENOUGH_PAYERS || payers.has(null))) return true;
    }
    return false;
  }

  #giveUp(): void {
    for (const { payer } of this.#waiting) if (this.#failedFor.size < MOST_HEARD_OF) this.#failedFor.add(payer);
    this.#noteError({ reason: "unanswered", status: null });
    this.#breaker.unanswered({ onHearsay: this.#doubts.isBelieved() });
  }

  #noteError(failure: RouteFailure): void {
    const { reason, status } = failure;
    if (this.#errors.push({ reason, status, atMs: this.#clock.nowMs() }) > MOST_ERRORS) this.#errors.shift();
  }

  /**
   * What one or two payers ask may be why it fails, so that others are not kept away by them: one at a time, and until it has failed more.
   */
  #mayTry(payer: Payer | undefined): boolean {
    return payer !== undefined && this.#newcomer === null && !this.#hasFailedMany() && !this.#failedFor.has(payer);
  }

  #arrived(begun: Begun): void {
    this.#waiting.delete(begun);
    if (this.#newcomer === begun.ticket) this.#newcomer = null;
  }

  /** For the call alone. */
  answered(begun: Begun, waitedMs: number): number {
    this.#firstByteMs = averaged(this.#firstByteMs, waitedMs);
    if (begun.streamed) this.#streamBeginsMs = averaged(this.#streamBeginsMs, waitedMs);
    if (begun.streamed) this.#slowness.add(waitedMs);
    this.#breaker.answered(begun.ticket);
    this.#arrived(begun);
    this.#waiting.clear();
    if (begun.turn > this.#doubtedAt) this.#doubts.refuted();
    this.#heardLimit.refuted();
    this.#answeredAt = ++this.#turn;
    return this.#clock.elapsedMs();
  }

  failed(begun: Begun, { wasAnswered, ...failure }: FailedCall & { wasAnswered: boolean }): void {
    const { reason, status, coolDownMs, perhapsProvoked = false, once = false, payer = null } = failure;
    const { ticket, turn } = begun;
    // What is asked can make a provider break off, or refuse, so the calls of one payer speak against a route once.
    const again = once && payer !== null && this.#heardOf.has(payer);
    if (once && payer !== null && this.#heardOf.size < MOST_HEARD_OF) this.#heardOf.add(payer);
    const wasOpen = this.#breaker.state() === "open";
    const failedMany = this.#hasFailedMany();
    if (this.#failedFor.size < MOST_HEARD_OF) this.#failedFor.add(payer);
    this.#arrived(begun);
    this.#callsInProgress--;
    this.#counted.failed++;
    if (status === 429) this.#counted.rateLimited++;
    this.#noteError({ reason, status });
    if (status === 429 && coolDownMs !== null && this.#coolingMs() === 0) {
      this.#tell({ routeId: this.#route.id, says: "limited", restsMs: Math.round(coolDownMs) });
    }
    if (coolDownMs !== null) this.#coolUntilMs = Math.max(this.#coolUntilMs, this.#clock.elapsedMs() + coolDownMs);
    // The next route is asked for what was refused, so that nothing is won by doubting this one for everybody.
    if (!(again && perhapsProvoked)) this.#rate.add("failure");
    // A provider that counts our calls is alive; it is left alone for as long as it says, and not given up. So is one that answered
    // others meanwhile: what was asked of it before may fail long after it has recovered. One that breaks off must have completed a response.
    const isLate = turn < (wasAnswered ? this.#succeededAt : this.#answeredAt);
    if (status === 429 || isLate || again) this.#breaker.released(ticket);
    else this.#breaker.failed(ticket, { isDoubted: !once && this.#doubts.isBelieved() });
    // Others were told that it might be these payers' doing.
    if (wasOpen && !failedMany && this.#hasFailedMany()) this.#tell(this.#newsOf("failed"));
  }

  succeeded(begun: Begun, { outputTokens, answeredAtMs }: { outputTokens: number; answeredAtMs: number }): void {
    this.#callsInProgress--;
    this.#rate.add("success");
    this.#counted.succeeded++;
    this.#heardOf.clear();
    this.#failedFor.clear();
    this.#arrived(begun);
    this.#succeededAt = ++this.#turn;
    this.#breaker.succeeded(begun.ticket);
    const lastedMs = this.#clock.elapsedMs() - answeredAtMs;
    if (outputTokens > 0 && lastedMs >= SHORTEST_ANSWER_MS) {
      this.#tokensPerSecond = averaged(this.#tokensPerSecond, (outputTokens * 1_000) / lastedMs);
    }
  }

  paced(sample: PaceSample): void {
    this.#pace.add(sample);
  }

  pace(): Pace {
    return this.#pace.value();
  }

  openings(): number {
    return this.#breaker.openings();
  }

  released(begun: Begun): void {
    this.#arrived(begun);
    this.#callsInProgress--;
    this.#breaker.released(begun.ticket);
  }

  report(): RouteReport {
    const { id, provider, upstreamModel, dialect, concurrencyLimit } = this.#route;
    return {
      routeId: id,
      provider,
      upstreamModel,
      dialect,
      breaker: this.#breaker.state(),
      knownSinceMs: this.#knownSinceMs,
      ...this.#counted,
      restsMs: Math.round(Math.max(this.#breaker.remainingMs(), this.#coolingMs())),
      successRate: this.#rate.shown(),
      firstByteMs: this.#firstByteMs,
      slowness: this.#slowness.now(),
      tokensPerSecond: this.#tokensPerSecond,
      callsInProgress: this.#callsInProgress,
      concurrencyLimit,
      lastErrors: [...this.#errors],
      changes: [...this.#changes],
      heard: this.#heard,
    };
  }

  #coolingMs(): number {
    return Math.max(0, this.#coolUntilMs - this.#clock.elapsedMs());
  }
}

/**
 * `coolDownMs`: how long the provider asked to be left alone. `once`: what was asked may be why it failed, so that one payer counts once. `perhapsProvoked`: it was
 * refused in a way that a prompt may have brought about.
 */
type FailedCall = RouteFailure & {
  coolDownMs: number | null;
  perhapsProvoked?: boolean;
  once?: boolean;
  /** Whose request it was. */
  payer?: Payer | undefined;
};

/** `streamed`: its first byte does not wait for its last. `probe`: no other route is left, and this one is to be left alone yet. */
export type CallBegins = { payer?: Payer | undefined; streamed?: boolean; probe?: boolean };

type Begun = { ticket: Ticket; turn: number; streamed: boolean; beganAtMs: number; payer: Payer | null };

/** One call under way. It ends once: the first of `failed`, `ended` and `released` counts. */
export class WatchedCall {
  readonly #begun: Begun;
  #record: RouteRecord | null;
  #answeredAtMs: number | null = null;

  constructor(record: RouteRecord, begun: Begun) {
    this.#record = record;
    this.#begun = begun;
  }

  answered(waitedMs: number): void {
    this.#answeredAtMs = this.#record?.answered(this.#begun, waitedMs) ?? null;
  }

  failed(failure: FailedCall): void {
    this.#close()?.failed(this.#begun, { ...failure, wasAnswered: this.#answeredAtMs !== null });
  }

  ended({ outcome, outputTokens, payer, pace = null }: RouteEnding): void {
    if (pace !== null) this.#record?.paced(pace);
    switch (outcome) {
      case "upstream_failed":
        return this.failed({ reason: "broke_off", status: 200, coolDownMs: null, payer, once: true });
      case "completed":
        return this.#succeeded(outputTokens);
      case "client_gone":
        // A provider that takes requests and then says nothing is left by its callers, one after the other.
        return outputTokens > 0 ? this.#succeeded(outputTokens) : this.released();
      case "timed_out":
      case "limited":
      case null:
        return this.released();
      default:
        return outcome satisfies never;
    }
  }

  released(): void {
    this.#close()?.released(this.#begun);
  }

  #succeeded(outputTokens: number): void {
    this.#close()?.succeeded(this.#begun, { outputTokens, answeredAtMs: this.#answeredAtMs ?? 0 });
  }

  #close(): RouteRecord | null {
    const record = this.#record;
    this.#record = null;
    return record;
  }
}

const averaged = (average: number | null, newest: number): number =>
  average === null ? newest : average + NEWEST * (newest - average);
