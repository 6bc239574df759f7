import type { Clock } from "../core/clock.ts";
import type { DatabaseBreaker } from "./database-breaker.ts";

/**
 * What a failed batch means. `data`: something in it was refused, and nothing of it happened. `lost`: it may have happened, or
 * could not; the same ids may go again. `refused`: nothing of it happened, and nothing that this process sends would. `bug`: none of
 * these, so it is not repeated.
 */
export type Failure = "data" | "lost" | "refused" | "bug";

/** Nobody can say in time. Answered with 503; whether the call happened is unknown, so its id is voided or sent again. */
export class LedgerUnavailableError extends Error {
  override readonly name = "LedgerUnavailableError";
}

export type LaneLimits = {
  /** Of one batch. */
  items: number;
  bytes: number;
  /** Of all of one kind that wait, those in flight included. */
  queued: number;
  /** Between two tries of a batch whose fate is unknown. */
  retryMs: number;
  /** Between the beginnings of two flushes, unless a whole batch waits. */
  paceMs: number;
};

/** What the callers of one kind of call are promised. */
export type CallTerms<Item> = {
  /** How long a caller waits while nobody is answered. */
  timeoutMs: number;
  /** How long a caller waits in all while others are answered. */
  longestMs: number;
  /** Whether it is refused at once while the ledger is known to be dead; if not, it is kept and tried for as long as it may wait. */
  refusable: boolean;
  /** Told of an item whose caller gave up after it had been sent. */
  abandoned: (item: Item) => void;
};

type LaneOptions<Item, Answer> = {
  send: (items: readonly Item[]) => Promise<Answer[]>;
  failureOf: (error: unknown) => Failure;
  bytesOf: (item: Item) => number;
  /** Items with the same terms are of one kind. */
  termsOf: (item: Item) => CallTerms<Item>;
  limits: LaneLimits;
  clock: Pick<Clock, "elapsedMs">;
  /** Hears how the calls of this lane went. Null where that says nothing about the ledger as a whole. */
  breaker: DatabaseBreaker | null;
};

export type Lane<Item, Answer> = { submit: (item: Item) => Promise<Answer>; waiting: () => number };

type Entry<Item, Answer> = {
  item: Item;
  terms: CallTerms<Item>;
  bytes: number;
  sinceMs: number;
  sent: boolean;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
};

/**
 * One flush at a time; whatever queued meanwhile goes in the next. That is where the throughput comes from: the slower the
 * database, the larger the batches.
 */
export function createLane<Item, Answer>(options: LaneOptions<Item, Answer>): Lane<Item, Answer> {
  const lane = new BatchLane(options);
  return { submit: (item) => lane.submit(item), waiting: () => lane.waiting() };
}

class BatchLane<Item, Answer> {
  readonly #options: LaneOptions<Item, Answer>;
  /** Not under way: not sent yet, or to be sent again. */
  readonly #queue: Entry<Item, Answer>[] = [];
  /** Whose callers wait, by kind; those of one kind in the order of their deadlines. */
  readonly #waiting = new Map<CallTerms<Item>, Set<Entry<Item, Answer>>>();
  #answeredMs = 0;
  #flushing = false;
  #flushedMs = Number.NEGATIVE_INFINITY;
  #timer: { atMs: number; timeout: NodeJS.Timeout } | null = null;

  constructor(options: LaneOptions<Item, Answer>) {
    this.#options = options;
  }

  waiting(): number {
    return this.#waiting.values().reduce((sum, { size }) => sum + size, 0);
  }

  submit(item: Item): Promise<Answer> {
    const { limits, breaker, bytesOf, termsOf, clock } = this.#options;
    const terms = termsOf(item);
    const waiting = this.#waiting.get(terms) ?? new Set();
    this.#waiting.set(terms, waiting);
    if (waiting.size >= limits.queued) return refuse("too many calls wait for the ledger");
    if (terms.refusable && breaker && !breaker.permits()) return refuse("the ledger does not answer");
    return new Promise((resolve, reject) => {
      const entry = { item, terms, bytes: bytesOf(item), sinceMs: clock.elapsedMs(), sent: false, resolve, reject };
      this.#queue.push(entry);
      waiting.add(entry);
      this.#watch();
      if (!this.#flushing) void this.#flushAll();
    });
  }

  async #flushAll(): Promise<void> {
    const { limits, clock } = this.#options;
    this.#flushing = true;
    do {
      const restMs = this.#flushedMs + limits.paceMs - clock.elapsedMs();
      await gather(this.#queue.length >= limits.items ? 0 : restMs);
      this.#flushedMs = clock.elapsedMs();
      await this.#flush(take(this.#queue, limits));
    } while (this.#queue.length > 0);
    this.#flushing = false;
  }

  /** Ends with every call answered, refused, abandoned, or back in the queue. */
  async #flush(batch: readonly Entry<Item, Answer>[]): Promise<void> {
    const { send, failureOf, breaker, clock } = this.#options;
    const entries = batch.filter((entry) => this.#waits(entry));
    if (entries.length === 0) return;
    for (const entry of entries) entry.sent = true;
    try {
      const answers = await send(entries.map(({ item }) => item));
      breaker?.succeeded();
      this.#answeredMs = clock.elapsedMs();
      for (const [index, entry] of entries.entries())
        this.#finish(entry, () => entry.resolve(answers[index] as Answer));
    } catch (error) {
      const failure = failureOf(error);
      if (failure === "lost") return await this.#sendAgain(entries);
      const parts = partsOf(entries, failure);
      for (const part of parts) await this.#flush(part);
      if (parts.length > 0) return;
      for (const entry of entries) this.#finish(entry, () => entry.reject(reasonOf(failure, error)));
    }
  }

  /** Under the same ids, so that what did happen is answered and not done twice. */
  async #sendAgain(entries: readonly Entry<Item, Answer>[]): Promise<void> {
    const { breaker, limits } = this.#options;
    breaker?.failed();
    // Nobody waits for a ledger that is known to be dead, the caller who tried it included.
    if (breaker?.broken()) {
      const refusable = entries.filter(({ terms }) => terms.refusable);
      this.#giveUp(refusable, "the ledger does not answer");
    }
    const left = entries.filter((entry) => this.#waits(entry));
    if (left.length === 0) return;
    this.#queue.unshift(...left);
    await new Promise((resolve) => setTimeout(resolve, limits.retryMs));
  }

  #waits(entry: Entry<Item, Answer>): boolean {
    return this.#waiting.get(entry.terms)?.has(entry) === true;
  }

  #finish(entry: Entry<Item, Answer>, tell: () => void): void {
    if (this.#waiting.get(entry.terms)?.delete(entry)) tell();
  }

  #watch(): void {
    const deadlines = this.#waiting.values().flatMap(([first]) => (first ? [this.#deadlineMs(first)] : []));
    const atMs = Math.min(...deadlines);
    if (atMs === Infinity || (this.#timer !== null && this.#timer.atMs <= atMs)) return;
    clearTimeout(this.#timer?.timeout);
    const waitMs = Math.max(0, atMs - this.#options.clock.elapsedMs());
    // An answer that came while this process was busy with others is read before it is missed.
    const timeout = setTimeout(() => setImmediate(() => this.#expire()), waitMs).unref();
    this.#timer = { atMs, timeout };
  }

  /** A ledger that answers others is alive, and has only more to do than this process gave it time for. */
  #deadlineMs({ sinceMs, terms: { timeoutMs, longestMs } }: Entry<Item, Answer>): number {
    return Math.min(Math.max(sinceMs, this.#answeredMs) + timeoutMs, sinceMs + longestMs);
  }

  #expire(): void {
    this.#timer = null;
    for (const waiting of this.#waiting.values()) this.#expireOf(waiting);
    this.#watch();
  }

  #expireOf(waiting: ReadonlySet<Entry<Item, Answer>>): void {
    const { clock, breaker } = this.#options;
    for (const entry of waiting) {
      const deadlineMs = this.#deadlineMs(entry);
      if (deadlineMs > clock.elapsedMs()) return;
      // A database that answered nobody while this call waited hangs, and is as dead as one that refuses.
      if (this.#answeredMs <= deadlineMs - entry.terms.timeoutMs) breaker?.failed();
      const place = this.#queue.indexOf(entry);
      if (place >= 0) this.#queue.splice(place, 1);
      this.#giveUp([entry], "the ledger did not answer in time");
    }
  }

  #giveUp(entries: readonly Entry<Item, Answer>[], message: string): void {
    for (const entry of entries) {
      this.#finish(entry, () => {
        if (entry.sent) entry.terms.abandoned(entry.item);
        entry.reject(new LedgerUnavailableError(message));
      });
    }
  }
}

const refuse = (message: string): Promise<never> => Promise.reject(new LedgerUnavailableError(message));

/** Who is refused for what this process is hears the same as while nobody answers. */
const reasonOf = (failure: Failure, error: unknown): unknown =>
  failure === "refused" ? new LedgerUnavailableError("the ledger refuses this process", { cause: error }) : error;

/**
 * What of a batch that failed is tried apart: first what ends requests and then what begins them, because neither may fail for the
 * other; then halves, until an impossible value stands alone. Nothing, when there is nothing to take apart.
 */
function partsOf<One extends { terms: { refusable: boolean } }>(entries: readonly One[], failure: Failure): One[][] {
  const { true: begins = [], false: ends = [] } = Object.groupBy(entries, ({ terms }) => `${terms.refusable}`);
  if (ends.length > 0 && begins.length > 0) return [ends, begins];
  if (failure !== "data" || entries.length === 1) return [];
  const middle = Math.ceil(entries.length / 2);
  return [entries.slice(0, middle), entries.slice(middle)];
}

/** As many as fit; always at least one, however large it is. */
function take<Call extends { bytes: number }>(queue: Call[], limits: Pick<LaneLimits, "items" | "bytes">): Call[] {
  let bytes = 0;
  const over = queue.findIndex((call, index) => {
    bytes += call.bytes;
    return index > 0 && (index >= limits.items || bytes > limits.bytes);
  });
  return queue.splice(0, over === -1 ? queue.length : over);
}

/**
 * Calls made in the same turn of the event loop go together; under load, so do those of a few milliseconds. A flush costs both
 * sides the same however little it carries, and one that follows the last too closely carries little.
 */
function gather(restMs: number): Promise<void> {
  return new Promise((resolve) => {
    if (restMs <= 0) setImmediate(resolve);
    else setTimeout(resolve, restMs);
  });
}
