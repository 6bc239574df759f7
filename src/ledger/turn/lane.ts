import type { Clock } from "../../core/clock.ts";
import { LinkedList } from "../../core/linked-list.ts";
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
  /** Between the beginnings of two flushes of a busy process, unless a whole batch waits. */
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
  /** Whether this process has no time to spare, so that fewer and larger batches serve everybody sooner. Absent: always. */
  isBusy?: () => boolean;
  /** Whether a call goes at once, pace or not, and takes with it what waits for the pace. Absent: none does. */
  isUrgent?: (item: Item) => boolean;
  /** So many waiting calls are worth a flush beside the one that is under way. Absent: there is one at a time. */
  besideItems?: number;
  /** Hears how the calls of this lane went. Null where that says nothing about the ledger as a whole. */
  breaker: DatabaseBreaker | null;
  /** Absent: nobody hears how long they take. */
  times?: LaneTimes | undefined;
};

/** Hears of durations. Called for every call, so it must be quick. */
export type LaneTimes = {
  /** From the moment a call was made until it was sent for the first time. */
  waited: (elapsedMs: number) => void;
  /** From sending a batch until it was answered or failed. */
  took: (elapsedMs: number) => void;
};

export type Lane<Item, Answer> = { submit: (item: Item) => Promise<Answer>; waiting: () => number };

/** A call. Those of one kind that wait are linked to each other. */
type Entry<Item, Answer> = {
  before: Entry<Item, Answer> | null;
  behind: Entry<Item, Answer> | null;
  readonly item: Item;
  readonly kind: Kind<Item, Answer>;
  readonly bytes: number;
  readonly sinceMs: number;
  sent: boolean;
  waits: boolean;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
};

/** Calls with the same terms whose callers wait, in the order of their deadlines. */
type Kind<Item, Answer> = { terms: CallTerms<Item>; waiting: LinkedList<Entry<Item, Answer>> };

/**
 * One flush at a time; whatever queued meanwhile goes in the next. That is where the throughput comes from: the slower the
 * database, the larger the batches. With `besideItems`, a second flush goes while the first is under way, so that the database has
 * something to do while this process handles what it answered. Otherwise all callers of a full process are answered together,
 * ask for more together, and each side waits for the other.
 */
export function createLane<Item, Answer>(options: LaneOptions<Item, Answer>): Lane<Item, Answer> {
  const lane = new BatchLane(options);
  return { submit: (item) => lane.submit(item), waiting: () => lane.waiting() };
}

const MOST_UNDER_WAY = 2;

class BatchLane<Item, Answer> {
  readonly #options: LaneOptions<Item, Answer>;
  /** Not under way: not sent yet, or to be sent again. */
  #queue: Entry<Item, Answer>[] = [];
  /** Few: a lane has one or two. */
  readonly #kinds: Kind<Item, Answer>[] = [];
  #answeredMs = 0;
  /** A flush waits for its calls; it takes them all at the end of that. */
  #gathering = false;
  /** Flushes that were sent and are not answered. */
  #underWay = 0;
  /** How many of them were lost, and go again after a rest; nothing goes beside these. */
  #resting = 0;
  #flushedMs = Number.NEGATIVE_INFINITY;
  /** Something urgent is in the queue. */
  #urgent = false;
  /** Ends the wait for the pace. */
  #hurry: (() => void) | null = null;
  #timer: { atMs: number; timeout: NodeJS.Timeout } | null = null;

  constructor(options: LaneOptions<Item, Answer>) {
    this.#options = options;
  }

  waiting(): number {
    let sum = 0;
    for (const { waiting } of this.#kinds) sum += waiting.size;
    return sum;
  }

  submit(item: Item): Promise<Answer> {
    const { limits, breaker, bytesOf, termsOf, clock, isUrgent = never } = this.#options;
    const kind = this.#kindOf(termsOf(item));
    if (kind.waiting.size >= limits.queued) {
      breaker?.overfull();
      return refuse("too many calls wait for the ledger");
    }
    if (kind.terms.refusable && breaker && !breaker.permits()) return refuse("the ledger does not answer");
    return new Promise((resolve, reject) => {
      const entry: Entry<Item, Answer> = {
        item,
        kind,
        bytes: bytesOf(item),
        sinceMs: clock.elapsedMs(),
        sent: false,
        waits: true,
        before: null,
        behind: null,
        resolve,
        reject,
      };
      this.#queue.push(entry);
      kind.waiting.add(entry);
      this.#watch(this.#deadlineMs(entry));
      if (isUrgent(item)) {
        this.#urgent = true;
        this.#hurry?.();
      }
      this.#begin();
    });
  }

  #kindOf(terms: CallTerms<Item>): Kind<Item, Answer> {
    for (const kind of this.#kinds) if (kind.terms === terms) return kind;
    const kind: Kind<Item, Answer> = { terms, waiting: new LinkedList() };
    this.#kinds.push(kind);
    return kind;
  }

  /** Begins a flush if none is under way, or one beside it if enough calls wait. */
  #begin(): void {
    const waiting = this.#queue.length;
    if (this.#gathering || waiting === 0) return;
    const { besideItems = Number.POSITIVE_INFINITY } = this.#options;
    const mayGoBeside = this.#underWay < MOST_UNDER_WAY && this.#resting === 0 && waiting >= besideItems;
    if (this.#underWay === 0 || mayGoBeside) void this.#flushNext();
  }

  async #flushNext(): Promise<void> {
    const { limits, clock, isBusy = always } = this.#options;
    this.#gathering = true;
    const restMs = this.#flushedMs + limits.paceMs - clock.elapsedMs();
    const paced = restMs > 0 && !this.#urgent && this.#queue.length < limits.items && isBusy();
    if (paced) await this.#pace(restMs);
    else await nextTurn();
    this.#flushedMs = clock.elapsedMs();
    this.#gathering = false;
    this.#underWay += 1;
    await this.#flush(this.#take());
    this.#underWay -= 1;
    this.#begin();
  }

  /** Waits for more calls, until the time is up or one comes that is urgent. */
  async #pace(restMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timeout = setTimeout(resolve, restMs);
    this.#hurry = resolve;
    await promise;
    this.#hurry = null;
    clearTimeout(timeout);
    // What ends in the same turn of the event loop goes together, too.
    if (this.#urgent) await nextTurn();
  }

  /** As many as fit; always at least one, however large it is. */
  #take(): Entry<Item, Answer>[] {
    const { items, bytes: mostBytes } = this.#options.limits;
    const queue = this.#queue;
    let bytes = 0;
    let taken = 0;
    for (; taken < queue.length; taken++) {
      bytes += queue[taken]?.bytes ?? 0;
      if (taken > 0 && (taken >= items || bytes > mostBytes)) return queue.splice(0, taken);
    }
    this.#queue = [];
    this.#urgent = false;
    return queue;
  }

  /** Ends with every call answered, refused, abandoned, or back in the queue. */
  async #flush(batch: readonly Entry<Item, Answer>[]): Promise<void> {
    const { send, failureOf, breaker, clock, times } = this.#options;
    const entries = batch.filter(waits);
    if (entries.length === 0) return;
    const sentMs = this.#noteSent(entries);
    const call = breaker?.sent() ?? NOT_WATCHED;
    try {
      const answers = await send(entries.map((entry) => entry.item));
      breaker?.succeeded(call);
      this.#answeredMs = clock.elapsedMs();
      times?.took(this.#answeredMs - sentMs);
      let place = 0;
      for (const entry of entries) {
        const answer = answers[place++] as Answer;
        if (leave(entry)) entry.resolve(answer);
      }
    } catch (error) {
      times?.took(clock.elapsedMs() - sentMs);
      const failure = failureOf(error);
      if (failure === "lost") {
        breaker?.lost(call, error);
        return await this.#sendAgain(entries);
      }
      if (failure === "refused") breaker?.refused(call, error);
      else breaker?.rejected(call, failure === "bug" ? error : undefined);
      const parts = partsOf(entries, failure);
      for (const part of parts) await this.#flush(part);
      if (parts.length > 0) return;
      this.#refuse(entries, () => reasonOf(failure, error));
    }
  }

  /** They are sent now. */
  #noteSent(entries: readonly Entry<Item, Answer>[]): number {
    const { clock, times } = this.#options;
    const nowMs = clock.elapsedMs();
    for (const entry of entries) {
      if (!entry.sent) times?.waited(nowMs - entry.sinceMs);
      entry.sent = true;
    }
    return nowMs;
  }

  /** Under the same ids, so that what did happen is answered and not done twice. */
  async #sendAgain(entries: readonly Entry<Item, Answer>[]): Promise<void> {
    const { breaker, limits } = this.#options;
    // Nobody waits for a ledger that is known to be dead, the caller who tried it included.
    if (breaker?.broken()) {
      const refusable = entries.filter(({ kind }) => kind.terms.refusable);
      this.#giveUp(refusable, "the ledger does not answer");
    }
    const left = entries.filter(waits);
    if (left.length === 0) return;
    this.#queue.unshift(...left);
    this.#resting += 1;
    await new Promise((resolve) => setTimeout(resolve, limits.retryMs));
    this.#resting -= 1;
  }

  #refuse(entries: readonly Entry<Item, Answer>[], reason: () => unknown): void {
    for (const entry of entries) if (leave(entry)) entry.reject(reason());
  }

  /** Deadlines only move away, so a look at the first of them is early enough for all. */
  #watch(deadlineMs: number): void {
    if (this.#timer !== null && this.#timer.atMs <= deadlineMs) return;
    clearTimeout(this.#timer?.timeout);
    const waitMs = Math.max(0, deadlineMs - this.#options.clock.elapsedMs());
    // An answer that came while this process was busy with others is read before it is missed.
    const timeout = setTimeout(() => setImmediate(() => this.#expire()), waitMs).unref();
    this.#timer = { atMs: deadlineMs, timeout };
  }

  /** A ledger that answers others is alive, and has only more to do than this process gave it time for. */
  #deadlineMs({ sinceMs, kind }: Entry<Item, Answer>): number {
    const { timeoutMs, longestMs } = kind.terms;
    return Math.min(Math.max(sinceMs, this.#answeredMs) + timeoutMs, sinceMs + longestMs);
  }

  #expire(): void {
    this.#timer = null;
    for (const kind of this.#kinds) {
      this.#expireOf(kind);
      const { first } = kind.waiting;
      if (first !== null) this.#watch(this.#deadlineMs(first));
    }
  }

  #expireOf(kind: Kind<Item, Answer>): void {
    const { clock, breaker } = this.#options;
    for (let entry = kind.waiting.first; entry !== null; entry = kind.waiting.first) {
      const deadlineMs = this.#deadlineMs(entry);
      if (deadlineMs > clock.elapsedMs()) return;
      // A database that answered nobody while this call waited hangs, and is as dead as one that refuses.
      if (this.#answeredMs <= deadlineMs - kind.terms.timeoutMs) breaker?.silent();
      const place = this.#queue.indexOf(entry);
      if (place >= 0) this.#queue.splice(place, 1);
      this.#giveUp([entry], "the ledger did not answer in time");
    }
  }

  #giveUp(entries: readonly Entry<Item, Answer>[], message: string): void {
    for (const { waits: waited, sent, kind, item } of entries) if (waited && sent) kind.terms.abandoned(item);
    this.#refuse(entries, () => new LedgerUnavailableError(message));
  }
}

/** Whether its caller still waited. */
function leave<Item, Answer>(entry: Entry<Item, Answer>): boolean {
  if (!entry.waits) return false;
  entry.waits = false;
  entry.kind.waiting.remove(entry);
  return true;
}

const waits = ({ waits: waiting }: { waits: boolean }): boolean => waiting;

/** Where nobody asks how calls went. */
const NOT_WATCHED = { sinceMs: 0 };

const always = (): boolean => true;
const never = (): boolean => false;

const refuse = (message: string): Promise<never> => Promise.reject(new LedgerUnavailableError(message));

/** Who is refused for what this process is hears the same as while nobody answers. */
const reasonOf = (failure: Failure, error: unknown): unknown =>
  failure === "refused" ? new LedgerUnavailableError("the ledger refuses this process", { cause: error }) : error;

/**
 * What of a batch that failed is tried apart: first what ends requests and then what begins them, because neither may fail for the
 * other; then halves, until an impossible value stands alone. Nothing, when there is nothing to take apart.
 */
function partsOf<One extends { kind: { terms: { refusable: boolean } } }>(
  entries: readonly One[],
  failure: Failure,
): One[][] {
  const { true: begins = [], false: ends = [] } = Object.groupBy(entries, ({ kind }) => `${kind.terms.refusable}`);
  if (ends.length > 0 && begins.length > 0) return [ends, begins];
  if (failure !== "data" || entries.length === 1) return [];
  const middle = Math.ceil(entries.length / 2);
  return [entries.slice(0, middle), entries.slice(middle)];
}

/**
 * Calls made in the same turn of the event loop go together; in a busy process, so do those of a few milliseconds. A flush costs both
 * sides much the same however little it carries, and one that follows the last too closely carries little. A process with time to
 * spare can afford that, and its callers wait for nothing but the database.
 */
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
