import type { Clock } from "../../core/clock.ts";
import { inTime } from "../../core/in-time.ts";
import type { LedgerState, LedgerTrouble } from "../../core/ledger-state.ts";

/** One call to the ledger that was sent and is not answered. */
export type LedgerSend = { readonly sinceMs: number };

/** Hears how the calls of requests went. */
export type CallWatch = {
  sent: () => LedgerSend;
  answered: (call: LedgerSend) => void;
  /** It may have happened, or could not, or nothing that this process sends would. */
  failed: (call: LedgerSend, error: unknown) => void;
  /**
   * It was rejected for what was in it, which says that the ledger answers. With a defect of ours, some requests fail. However often
   * somebody sends such a request, it is no outage for all others.
   */
  rejected: (call: LedgerSend, defect?: unknown) => void;
  /** A call was turned away, since too many wait. */
  overfull: () => void;
  /** Whether the ledger is known to be down. */
  isDown: () => boolean;
};

/** For calls that say nothing about the ledger as a whole. */
export const UNWATCHED: CallWatch = {
  sent: () => NEVER,
  answered: () => undefined,
  failed: () => undefined,
  rejected: () => undefined,
  overfull: () => undefined,
  isDown: () => false,
};

const NEVER: LedgerSend = { sinceMs: 0 };

export type LedgerWatch = CallWatch & {
  state: () => LedgerState;
  stop: () => void;
};

type Options = {
  clock: Pick<Clock, "nowMs" | "elapsedMs">;
  /** Commits as a request does and leaves nothing behind. `spill`: also asks the disk for room. */
  rehearse: (spill: boolean) => Promise<void>;
  /** Whether it is rehearsed while all is well and nothing else is asked. A database inside this process needs none. */
  rehearsesWhenIdle: boolean;
  troubleOf: (error: unknown) => LedgerTrouble;
  /** What is said of calls that nobody answers, where nothing more is to be seen. */
  hangs: LedgerTrouble;
  /** Looks from another connection why calls wait; null: nothing to be seen. */
  diagnose: () => Promise<LedgerTrouble | null>;
  /** Why no request may start, though the ledger answers; null: nothing. */
  obstacle: () => LedgerTrouble | null;
  onChange: (state: LedgerState) => void;
  /** Between a call that was answered and the next rehearsal. */
  everyMs?: number;
  /** How long nobody is answered before the ledger is down. */
  hangMs?: number;
  /** Between two looks at the time. */
  lookMs?: number;
};

const EVERY_MS = 1_000;
const HANG_MS = 2_500;
const LOOK_MS = 250;
/** One failure may be a connection that broke; the next call has another one. */
const FAILURES = 2;
/** A look from outside must not take longer than what it explains. */
const DIAGNOSIS_MS = 1_000;
/** While it is down, another cause may take the place of the first. */
const EXPLAIN_EVERY_MS = 5_000;

/** For so long after a failure requests are said to fail now and then. */
const REMEMBERED_MS = 10_000;

const OVERFULL: LedgerTrouble = {
  words: "more calls wait for the ledger than ledger.queue allows",
  fix: "Look at the latency of the database; docs/explain/growing.md says when it is time for more of it.",
  sqlState: null,
};

/**
 * Says whether the ledger works, from what the calls of requests see. While there are none it rehearses one every moment, so that an
 * outage at night is known before the first request, and its end too. What nobody has foreseen counts as an outage.
 */
export function watchLedger(options: Options): LedgerWatch {
  const watch = new Watching(options);
  const timer = setInterval(() => watch.look(), options.lookMs ?? LOOK_MS).unref();
  return {
    state: () => watch.now(),
    isDown: () => watch.isDown(),
    sent: () => watch.sent(),
    answered: (call) => watch.answeredTo(call),
    failed: (call, error) => watch.failed(call, error),
    rejected: (call, defect) => watch.rejected(call, defect),
    overfull: () => watch.remember(OVERFULL),
    stop: () => {
      clearInterval(timer);
      watch.isStopped = true;
    },
  };
}

class Watching {
  isStopped = false;
  readonly #options: Options;
  readonly #everyMs: number;
  readonly #hangMs: number;
  /** Oldest first. */
  readonly #underWay = new Set<LedgerSend>();
  #state: LedgerState = { state: "ok" };
  #lately: { atMs: number; sinceMs: number; trouble: LedgerTrouble } | null = null;
  #answeredMs: number;
  #failedMs = Number.NEGATIVE_INFINITY;
  /** In a row. */
  #failures = 0;
  #rehearsing = false;
  #explaining = false;
  #explainedMs = Number.NEGATIVE_INFINITY;
  #looking: Promise<LedgerTrouble | null> | null = null;

  constructor(options: Options) {
    this.#options = options;
    this.#everyMs = options.everyMs ?? EVERY_MS;
    this.#hangMs = options.hangMs ?? HANG_MS;
    this.#answeredMs = options.clock.elapsedMs();
  }

  now(): LedgerState {
    const lately = this.#lately;
    if (this.isDown() || lately === null || this.#elapsedMs() - lately.atMs > REMEMBERED_MS) return this.#state;
    return { state: "degraded", sinceMs: lately.sinceMs, trouble: lately.trouble };
  }

  isDown(): boolean {
    return this.#state.state === "down";
  }

  remember(trouble: LedgerTrouble): void {
    const atMs = this.#elapsedMs();
    const isSame = this.#lately !== null && atMs - this.#lately.atMs <= REMEMBERED_MS;
    const sinceMs = isSame && this.#lately ? this.#lately.sinceMs : this.#options.clock.nowMs();
    this.#lately = { atMs, sinceMs, trouble };
  }

  sent(): LedgerSend {
    const call = { sinceMs: this.#elapsedMs() };
    this.#underWay.add(call);
    return call;
  }

  answeredTo(call: LedgerSend): void {
    this.#answered(call);
    // What begins a request may work while nothing can end one: only a rehearsal does both.
    if (this.isDown()) void this.#rehearse();
  }

  failed(call: LedgerSend, error: unknown): void {
    this.#underWay.delete(call);
    const trouble = this.#options.troubleOf(error);
    this.remember(trouble);
    // A later call was answered since: what this one met is over.
    if (call.sinceMs < this.#answeredMs) return;
    this.#failedMs = this.#elapsedMs();
    this.#failures += 1;
    if (this.#failures >= FAILURES) this.#explain(trouble);
  }

  rejected(call: LedgerSend, defect?: unknown): void {
    this.#underWay.delete(call);
    if (defect !== undefined) this.remember(this.#options.troubleOf(defect));
  }

  look(): void {
    const { obstacle, hangs, rehearsesWhenIdle } = this.#options;
    const inTheWay = obstacle();
    if (inTheWay !== null) return this.#down(inTheWay);
    if (this.#hangs()) this.#explain(hangs);
    const isQuiet = this.#elapsedMs() - Math.max(this.#answeredMs, this.#failedMs) >= this.#everyMs;
    if (isQuiet && (rehearsesWhenIdle || this.isDown())) void this.#rehearse();
  }

  /** What calls failed of since one was answered: more than that others hang. */
  #failedSince(): LedgerTrouble | null {
    return this.#lately !== null && this.#lately.atMs >= this.#answeredMs ? this.#lately.trouble : null;
  }

  #elapsedMs(): number {
    return this.#options.clock.elapsedMs();
  }

  #answered(call: LedgerSend): void {
    this.#underWay.delete(call);
    this.#answeredMs = this.#elapsedMs();
    this.#failures = 0;
  }

  /** A ledger that answers others is alive. */
  #hangs(): boolean {
    const [oldest] = this.#underWay;
    return oldest !== undefined && this.#elapsedMs() - Math.max(this.#answeredMs, oldest.sinceMs) >= this.#hangMs;
  }

  /** Counts as a call of a request, and ends an outage if none has failed since the last that was answered, or for a while. */
  async #rehearse(): Promise<void> {
    if (this.#rehearsing) return;
    this.#rehearsing = true;
    const call = this.sent();
    try {
      await this.#options.rehearse(this.isDown());
      const isOver = this.#answeredMs > this.#failedMs || this.#elapsedMs() - this.#failedMs >= this.#hangMs;
      this.#answered(call);
      if (isOver) this.#recover();
    } catch (error) {
      this.failed(call, error);
    } finally {
      this.#rehearsing = false;
    }
  }

  /** The call's own words where nothing more is to be seen from outside. */
  #explain(trouble: LedgerTrouble): void {
    const isKnown = this.isDown() && this.#elapsedMs() - this.#explainedMs < EXPLAIN_EVERY_MS;
    if (isKnown || this.#explaining) return;
    this.#explaining = true;
    // One look at a time: one that is not answered itself keeps a connection.
    this.#looking ??= this.#options
      .diagnose()
      .catch(() => null)
      .finally(() => void (this.#looking = null));
    void inTime(DIAGNOSIS_MS, this.#looking, null).then((seen) => {
      this.#explaining = false;
      this.#explainedMs = this.#elapsedMs();
      if (this.#failures >= FAILURES || this.#hangs()) this.#down(seen ?? this.#failedSince() ?? trouble);
    });
  }

  #down(trouble: LedgerTrouble): void {
    if (this.isStopped) return;
    const before = this.#state;
    const sinceMs = before.state === "ok" ? this.#options.clock.nowMs() : before.sinceMs;
    this.#state = { state: "down", sinceMs, trouble };
    if (before.state === "ok") this.#options.onChange(this.#state);
  }

  #recover(): void {
    if (this.#state.state === "ok" || this.isStopped || this.#options.obstacle() !== null || this.#hangs()) return;
    this.#state = { state: "ok" };
    this.#lately = null;
    this.#options.onChange(this.#state);
  }
}
