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
  type Call = Entry<Item, Answer>;
  const { send, failureOf, bytesOf, limits, clock, breaker, abandoned } = options;
  const { longestMs = limits.timeoutMs } = options;
  const queue: Call[] = [];
  /** In the order of their deadlines, since the same holds for all. */
  const waiting = new Set<Call>();
  let answeredMs = 0;
  let flushing = false;
  let flushedMs = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | null = null;

  function submit(item: Item): Promise<Answer> {
    if (waiting.size >= limits.queued) return refuse("too many calls wait for the ledger");
    if (breaker && !breaker.permits()) return refuse("the ledger does not answer");
    return new Promise((resolve, reject) => {
      const call: Call = { item, bytes: bytesOf(item), sinceMs: clock.elapsedMs(), sent: false, resolve, reject };
      queue.push(call);
      waiting.add(call);
      watch();
      if (!flushing) void flushAll();
    });
  }

  async function flushAll(): Promise<void> {
    flushing = true;
    do {
      const restMs = flushedMs + limits.paceMs - clock.elapsedMs();
      await gather(queue.length >= limits.items ? 0 : restMs);
      flushedMs = clock.elapsedMs();
      await flush(take(queue, limits));
    } while (queue.length > 0);
    flushing = false;
  }

  /** Ends with every call answered, refused or abandoned. */
  async function flush(batch: readonly Call[]): Promise<void> {
    for (let calls = batch; calls.length > 0; calls = calls.filter((call) => waiting.has(call))) {
      for (const call of calls) call.sent = true;
      try {
        const answers = await send(calls.map(({ item }) => item));
        breaker?.succeeded();
        answeredMs = clock.elapsedMs();
        for (const [index, call] of calls.entries()) finish(call, () => call.resolve(answers[index] as Answer));
        return;
      } catch (error) {
        const failure = failureOf(error);
        if (failure === "data" && calls.length > 1) return await halve(calls);
        if (failure !== "lost") {
          for (const call of calls) finish(call, () => call.reject(reasonOf(failure, error)));
          return;
        }
        breaker?.failed();
        // Nobody waits for a ledger that is known to be dead, the caller who tried it included.
        if (breaker?.broken()) return giveUp(calls, "the ledger does not answer");
        await new Promise((resolve) => setTimeout(resolve, limits.retryMs));
      }
    }
  }

  /** One caller's impossible value must not fail its neighbours. */
  async function halve(calls: readonly Call[]): Promise<void> {
    const middle = Math.ceil(calls.length / 2);
    await flush(calls.slice(0, middle));
    await flush(calls.slice(middle));
  }

  function finish(call: Call, tell: () => void): void {
    if (waiting.delete(call)) tell();
  }

  function watch(): void {
    const [first] = waiting;
    if (timer !== null || first === undefined) return;
    // An answer that came while this process was busy with others is read before it is missed.
    timer = setTimeout(() => setImmediate(expire), Math.max(0, deadlineMs(first) - clock.elapsedMs()));
    timer.unref();
  }

  /** A ledger that answers others is alive, and has only more to do than this process gave it time for. */
  const deadlineMs = ({ sinceMs }: Call): number =>
    Math.min(Math.max(sinceMs, answeredMs) + limits.timeoutMs, sinceMs + longestMs);

  function expire(): void {
    timer = null;
    for (const call of waiting) {
      if (deadlineMs(call) > clock.elapsedMs()) break;
      // A database that answered nobody while this call waited hangs, and is as dead as one that refuses.
      if (answeredMs <= deadlineMs(call) - limits.timeoutMs) breaker?.failed();
      if (!call.sent) queue.splice(queue.indexOf(call), 1);
      giveUp([call], "the ledger did not answer in time");
    }
    watch();
  }

  function giveUp(calls: readonly Call[], message: string): void {
    for (const call of calls) {
      finish(call, () => {
        if (call.sent) abandoned(call.item);
        call.reject(new LedgerUnavailableError(message));
      });
    }
  }

  const refuse = (message: string): Promise<never> => Promise.reject(new LedgerUnavailableError(message));

  return { submit, waiting: () => waiting.size };
}

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
