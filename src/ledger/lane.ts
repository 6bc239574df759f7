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
  /** Of all that wait, those in flight included. */
  queued: number;
  /** How long a caller waits while nobody is answered. */
  timeoutMs: number;
  /** Between two tries of a batch whose fate is unknown. */
  retryMs: number;
  /** Between the beginnings of two flushes, unless a whole batch waits. */
  paceMs: number;
};

type LaneOptions<Item, Answer> = {
  send: (items: readonly Item[]) => Promise<Answer[]>;
  failureOf: (error: unknown) => Failure;
  bytesOf: (item: Item) => number;
  limits: LaneLimits;
  clock: Pick<Clock, "elapsedMs">;
  /** Null where a call must be kept and tried for as long as it may wait. */
  breaker: DatabaseBreaker | null;
  /** How long a caller waits in all while others are answered; `timeoutMs` where it is left out. */
  longestMs?: number;
  /** Told of an item whose caller gave up after it had been sent. */
  abandoned: (item: Item) => void;
};

export type Lane<Item, Answer> = { submit: (item: Item) => Promise<Answer>; waiting: () => number };

type Entry<Item, Answer> = {
  item: Item;
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
  readonly #longestMs: number;
  readonly #queue: Entry<Item, Answer>[] = [];
  /** In the order of their deadlines, since the same holds for all. */
  readonly #waiting = new Set<Entry<Item, Answer>>();
  #answeredMs = 0;
  #flushing = false;
  #flushedMs = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: LaneOptions<Item, Answer>) {
    this.#options = options;
    this.#longestMs = options.longestMs ?? options.limits.timeoutMs;
  }

  waiting(): number {
    return this.#waiting.size;
  }

  submit(item: Item): Promise<Answer> {
    const { limits, breaker, bytesOf, clock } = this.#options;
    if (this.#waiting.size >= limits.queued) return refuse("too many calls wait for the ledger");
    if (breaker && !breaker.permits()) return refuse("the ledger does not answer");
    return new Promise((resolve, reject) => {
      const entry = { item, bytes: bytesOf(item), sinceMs: clock.elapsedMs(), sent: false, resolve, reject };
      this.#queue.push(entry);
      this.#waiting.add(entry);
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

  /** Ends with every call answered, refused or abandoned. */
  async #flush(batch: readonly Entry<Item, Answer>[]): Promise<void> {
    const { send, failureOf, breaker, clock, limits } = this.#options;
    for (let entries = batch; entries.length > 0; entries = entries.filter((entry) => this.#waiting.has(entry))) {
      for (const entry of entries) entry.sent = true;
      try {
        const answers = await send(entries.map(({ item }) => item));
        breaker?.succeeded();
        this.#answeredMs = clock.elapsedMs();
        for (const [index, entry] of entries.entries())
          this.#finish(entry, () => entry.resolve(answers[index] as Answer));
        return;
      } catch (error) {
        const failure = failureOf(error);
        if (failure === "data" && entries.length > 1) return await this.#halve(entries);
        if (failure !== "lost") {
          for (const entry of entries) this.#finish(entry, () => entry.reject(reasonOf(failure, error)));
          return;
        }
        breaker?.failed();
        // Nobody waits for a ledger that is known to be dead, the caller who tried it included.
        if (breaker?.broken()) return this.#giveUp(entries, "the ledger does not answer");
        await new Promise((resolve) => setTimeout(resolve, limits.retryMs));
      }
    }
  }

  /** One caller's impossible value must not fail its neighbours. */
  async #halve(entries: readonly Entry<Item, Answer>[]): Promise<void> {
    const middle = Math.ceil(entries.length / 2);
    await this.#flush(entries.slice(0, middle));
    await this.#flush(entries.slice(middle));
  }

  #finish(entry: Entry<Item, Answer>, tell: () => void): void {
    if (this.#waiting.delete(entry)) tell();
  }

  #watch(): void {
    if (this.#timer !== null) return;
    const [first] = this.#waiting;
    if (first === undefined) return;
    const waitMs = Math.max(0, this.#deadlineMs(first) - this.#options.clock.elapsedMs());
    // An answer that came while this process was busy with others is read before it is missed.
    this.#timer = setTimeout(() => setImmediate(() => this.#expire()), waitMs);
    this.#timer.unref();
  }

  /** A ledger that answers others is alive, and has only more to do than this process gave it time for. */
  #deadlineMs({ sinceMs }: Entry<Item, Answer>): number {
    const { timeoutMs } = this.#options.limits;
    return Math.min(Math.max(sinceMs, this.#answeredMs) + timeoutMs, sinceMs + this.#longestMs);
  }

  #expire(): void {
    const { clock, limits, breaker } = this.#options;
    this.#timer = null;
    for (const entry of this.#waiting) {
      const deadlineMs = this.#deadlineMs(entry);
      if (deadlineMs > clock.elapsedMs()) break;
      // A database that answered nobody while this call waited hangs, and is as dead as one that refuses.
      if (this.#answeredMs <= deadlineMs - limits.timeoutMs) breaker?.failed();
      if (!entry.sent) this.#queue.splice(this.#queue.indexOf(entry), 1);
      this.#giveUp([entry], "the ledger did not answer in time");
    }
    this.#watch();
  }

  #giveUp(entries: readonly Entry<Item, Answer>[], message: string): void {
    for (const entry of entries) {
      this.#finish(entry, () => {
        if (entry.sent) this.#options.abandoned(entry.item);
        entry.reject(new LedgerUnavailableError(message));
      });
    }
  }
}

const refuse = (message: string): Promise<never> => Promise.reject(new LedgerUnavailableError(message));

/** Who is refused for what this process is hears the same as while nobody answers. */
const reasonOf = (failure: Failure, error: unknown): unknown =>
  failure === "refused" ? new LedgerUnavailableError("the ledger refuses this process", { cause: error }) : error;

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
