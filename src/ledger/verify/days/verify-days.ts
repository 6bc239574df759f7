import type { Clock } from "../../../core/clock.ts";
import type { Mismatch } from "../verify-fold.ts";
import { verify, type VerifyStore } from "../verify.ts";
import { lookAtDay } from "./look-at-day.ts";
import { createPace, TurnLost } from "./pace.ts";
import { dayOf, type DayStore, nameOf, type VerificationState, type VerifiedDay } from "./verified-day.ts";

/** Where a mismatch was found: in a day, or, without one, in the balances. */
export type FoundMismatch = Mismatch & { day: string | null };

export type Round = Pick<VerificationState, "verifiedAtMs" | "mismatches">;

type VerifyDaysOptions = {
  /** Its statements go through `step`, one at a time. */
  openStore: (step: <Result>(work: () => Promise<Result>) => Promise<Result>) => {
    days: DayStore;
    balances: (days: readonly VerifiedDay[], onGrown: (day: VerifiedDay) => void) => VerifyStore;
  };
  processId: string;
  clock: Pick<Clock, "elapsedMs">;
  sharePercent: number;
  /** How often to look whether something is due, and what others have found. */
  everyMs?: number;
  /** Told once of each. */
  onMismatch: (found: FoundMismatch) => void;
  onState: (round: Round) => void;
  onDone: () => void;
  onFailed: (error: unknown) => void;
};

export type VerifyDays = { stop: () => Promise<void> };

const MINUTE_MS = 60_000;
const LEASE_MS = 60_000;
const KEEP_TURN_EVERY_MS = 15_000;
const FRESH_EVERY_MS = 5 * MINUTE_MS;
/** Of yesterday, and of older days that have grown or differ. */
const HOURLY_MS = 60 * MINUTE_MS;
const OLD_EVERY_MS = 7 * 24 * 60 * MINUTE_MS;
/** What was charged an hour before it is read counts as known to all instants; a comparison that takes longer proves nothing. */
const LONGEST_COMPARISON_MS = 55 * MINUTE_MS;

/**
 * Verifies the ledger day by day for as long as the process runs, one process at a time, within a share of a core: the newest days every few
 * minutes, each followed by the balances and by one older day.
 */
export function startVerifyDays(options: VerifyDaysOptions): VerifyDays {
  const verifier = new DayVerifier(options);
  const running = verifier.run();
  return {
    stop: () => {
      verifier.stop();
      return running;
    },
  };
}

class DayVerifier {
  readonly #options: VerifyDaysOptions;
  readonly #stopping = Promise.withResolvers<void>();
  readonly #pace: ReturnType<typeof createPace>;
  readonly #store: DayStore;
  readonly #balances: ReturnType<VerifyDaysOptions["openStore"]>["balances"];
  /** Days that have charges which came after their look. */
  readonly #grown = new Set<number>();
  #stopped = false;
  #comparedMs = Number.NEGATIVE_INFINITY;

  constructor(options: VerifyDaysOptions) {
    this.#options = options;
    this.#pace = createPace({
      clock: options.clock,
      sharePercent: options.sharePercent,
      keepEveryMs: KEEP_TURN_EVERY_MS,
      sleep: async (ms) => {
        await this.#sleep(ms);
        if (this.#stopped) throw new TurnLost("verification stops");
      },
      keepTurn: async () => {
        if (!(await this.#takeTurn())) throw new TurnLost("another process verifies");
      },
    });
    const { days, balances } = options.openStore(this.#pace.step);
    this.#store = days;
    this.#balances = balances;
  }

  stop(): void {
    this.#stopped = true;
    this.#stopping.resolve();
  }

  async run(): Promise<void> {
    const { processId, everyMs = 15_000, onFailed } = this.#options;
    while (!this.#stopped) {
      let isBusy = false;
      try {
        await this.#publish();
        if (await this.#takeTurn()) {
          await this.#pace.begin();
          isBusy = await this.#round();
        }
      } catch (error) {
        if (!(error instanceof TurnLost)) onFailed(error);
      }
      if (!isBusy) await this.#sleep(everyMs);
    }
    await this.#store.takeTurn(processId, 0).catch(() => undefined);
  }

  /** Whether there may be more to do at once. */
  async #round(): Promise<boolean> {
    const { nowMs, days } = await this.#store.days();
    const fresh = days.filter((day) => isFresh(day, nowMs) && this.#isDue(day, nowMs));
    for (const day of fresh) await this.#look(day, nowMs);
    const old = days.filter((day) => !isFresh(day, nowMs));
    const isDueToCompare = this.#options.clock.elapsedMs() - this.#comparedMs >= FRESH_EVERY_MS || fresh.length > 0;
    if (isDueToCompare && old.every(({ verifiedAtMs }) => verifiedAtMs !== null))
      await this.#compare(await this.#store.days());
    const [next] = old.filter((day) => this.#isDue(day, nowMs)).toSorted(byTurn);
    if (next !== undefined) await this.#look(next, nowMs);
    return next !== undefined;
  }

  async #look(day: VerifiedDay, nowMs: number): Promise<void> {
    const { processId, clock, onMismatch, onDone } = this.#options;
    const known = new Set([...day.found, ...(day.pass?.found ?? [])].map(textOf));
    await lookAtDay(day, nowMs, {
      store: this.#store,
      processId,
      elapsedMs: clock.elapsedMs,
      workedMs: this.#pace.workedMs,
      onMismatches: tellNew(known, nameOf(day.number), onMismatch),
      onKept: () => this.#publish(),
    });
    this.#grown.delete(day.number);
    await this.#publish();
    onDone();
  }

  /** Then everything is verified up to the newest look at today, or up to the comparison where today has no charges. */
  async #compare({ nowMs, days }: Listed): Promise<void> {
    const { processId, clock, onMismatch, onDone } = this.#options;
    const beganMs = clock.elapsedMs();
    const { found: before } = await this.#store.state();
    const books = this.#balances(days, ({ number }) => this.#grown.add(number));
    const { mismatches } = await verify(books, { keyId: null, recompute: false, onProgress: () => undefined });
    if (clock.elapsedMs() - beganMs > LONGEST_COMPARISON_MS)
      throw new Error("comparing the balances took more than 55 minutes; raise verification.share_percent");
    const looks = days.filter(({ number }) => number === dayOf(nowMs)).map(({ verifiedAtMs }) => verifiedAtMs ?? 0);
    const round = { verifiedAtMs: Math.min(nowMs, ...looks), mismatches: mismatches.length, found: mismatches };
    await this.#store.endRound(processId, round);
    tellNew(new Set(before.map(textOf)), null, onMismatch)(mismatches);
    this.#comparedMs = beganMs;
    await this.#publish();
    onDone();
  }

  #isDue(day: VerifiedDay, nowMs: number): boolean {
    if (day.verifiedAtMs === null || day.pass !== null) return true;
    return nowMs - day.verifiedAtMs >= paceOf(day, nowMs, this.#grown);
  }

  async #publish(): Promise<void> {
    this.#options.onState(await this.#store.state());
  }

  #takeTurn(): Promise<boolean> {
    return this.#store.takeTurn(this.#options.processId, LEASE_MS);
  }

  /** Until then, or until it is stopped. No timer keeps the process alive. */
  async #sleep(ms: number): Promise<void> {
    const over = Promise.withResolvers<void>();
    const timer = setTimeout(over.resolve, ms).unref();
    await Promise.race([over.promise, this.#stopping.promise]);
    clearTimeout(timer);
  }
}

type Listed = { nowMs: number; days: readonly VerifiedDay[] };

/** Today, and around it: ids may be an hour ahead. */
const isFresh = ({ number }: VerifiedDay, nowMs: number): boolean => number >= dayOf(nowMs) - 1;

function paceOf({ number, mismatches }: VerifiedDay, nowMs: number, grown: ReadonlySet<number>): number {
  const today = dayOf(nowMs);
  if (number === today) return FRESH_EVERY_MS;
  return number >= today - 1 || mismatches > 0 || grown.has(number) ? HOURLY_MS : OLD_EVERY_MS;
}

/** What was begun, then the newest of those that nobody has looked at, then whatever has waited longest. */
function byTurn(one: VerifiedDay, other: VerifiedDay): number {
  if ((one.pass === null) !== (other.pass === null)) return one.pass === null ? 1 : -1;
  if (one.verifiedAtMs === null && other.verifiedAtMs === null) return other.number - one.number;
  return (one.verifiedAtMs ?? 0) - (other.verifiedAtMs ?? 0);
}

const textOf = ({ keyId, accountId, counter, column, expected, found }: Mismatch): string =>
  JSON.stringify([keyId, accountId, counter, column, expected, found]);

/** Tells those that were not known before, each once. */
const tellNew =
  (known: Set<string>, day: string | null, tell: (found: FoundMismatch) => void) =>
  (found: readonly Mismatch[]): void => {
    for (const one of found) {
      if (known.has(textOf(one))) continue;
      known.add(textOf(one));
      tell({ ...one, day });
    }
  };
