import type { Clock } from "../core/clock.ts";
import type { Failure } from "./lane.ts";
import type { Checkpoint, Ledger } from "./ledger.ts";

type CheckpointsOptions = {
  checkpoint: Ledger["checkpoint"];
  failureOf: (error: unknown) => Failure;
  clock: Pick<Clock, "elapsedMs">;
  limits: {
    /** Of one batch. */
    items: number;
    /** From the beginning of one flush to that of the next. */
    everyMs: number;
    /** After a flush that failed. */
    retryMs: number;
  };
  /** The ledger no longer knows this request: it was swept or voided, and its stream must be cut. */
  onClosed: (id: string) => void;
  onWritten: (checkpoints: number) => void;
  onFailed: (error: unknown) => void;
};

/** Nobody waits for a checkpoint: one that is never written costs the house a little more when the process crashes. */
export type Checkpoints = {
  /** Of one request only the newest waits, so no more wait than requests are open. */
  add: (checkpoint: Checkpoint) => void;
  /** The request has ended: what waits of it is worth nothing, and nobody wants to hear that it is closed. */
  forget: (id: string) => void;
  /** Sends what waits, once, and nothing after it. */
  stop: () => Promise<void>;
};

export function createCheckpoints(options: CheckpointsOptions): Checkpoints {
  const { checkpoint, failureOf, clock, limits, onClosed, onWritten, onFailed } = options;
  const waiting = new Map<string, Checkpoint>();
  /** The ids sent and not yet answered, without those forgotten meanwhile. */
  const sent = new Set<string>();
  let underway: Promise<void> | null = null;
  let timer: NodeJS.Timeout | null = null;
  let dueMs = Number.NEGATIVE_INFINITY;
  let stopped = false;

  function add(next: Checkpoint): void {
    const last = waiting.get(next.id);
    if (stopped || (last !== undefined && last.seq > next.seq)) return;
    waiting.set(next.id, next);
    schedule();
  }

  function schedule(): void {
    if (stopped || underway || timer || waiting.size === 0) return;
    timer = setTimeout(
      () => {
        timer = null;
        // Ended from here: a flush that finds nothing to send is over before it could be called underway.
        underway = flush().finally(() => {
          underway = null;
          schedule();
        });
      },
      Math.max(0, dueMs - clock.elapsedMs()),
    ).unref();
  }

  /** Whatever waits now, in batches; what comes meanwhile goes with the next flush. */
  async function flush(): Promise<void> {
    dueMs = clock.elapsedMs() + limits.everyMs;
    const ids = [...waiting.keys()];
    const batches = Array.from({ length: Math.ceil(ids.length / limits.items) }, (_, index) =>
      ids.slice(index * limits.items, (index + 1) * limits.items),
    );
    for (let batch = batches.shift(); batch !== undefined; batch = batches.shift()) {
      const verdict = await send(batch);
      if (verdict === "halve") {
        const middle = Math.ceil(batch.length / 2);
        batches.unshift(batch.slice(0, middle), batch.slice(middle));
      }
      if (verdict === "later") {
        dueMs = clock.elapsedMs() + limits.retryMs;
        break;
      }
    }
  }

  async function send(ids: readonly string[]): Promise<"done" | "halve" | "later"> {
    const batch = ids.flatMap((id) => waiting.get(id) ?? []);
    if (batch.length === 0) return "done";
    for (const { id } of batch) {
      waiting.delete(id);
      sent.add(id);
    }
    try {
      const closed = await checkpoint(batch);
      for (const id of closed) if (sent.has(id)) onClosed(id);
      onWritten(batch.length - closed.length);
      return "done";
    } catch (error) {
      const failure = failureOf(error);
      // One impossible value must not cost its neighbours their checkpoints.
      const verdict = failure === "lost" ? "later" : failure === "data" && batch.length > 1 ? "halve" : "done";
      if (verdict !== "done") keep(batch);
      if (verdict !== "halve") onFailed(error);
      return verdict;
    } finally {
      for (const { id } of batch) sent.delete(id);
    }
  }

  /** Those that are still wanted wait again, unless a newer one does. */
  function keep(batch: readonly Checkpoint[]): void {
    for (const item of batch) if (sent.has(item.id) && !waiting.has(item.id)) waiting.set(item.id, item);
  }

  return {
    add,
    forget: (id) => {
      waiting.delete(id);
      sent.delete(id);
    },
    stop: async () => {
      stopped = true;
      if (timer) clearTimeout(timer);
      await underway;
      await flush();
    },
  };
}
