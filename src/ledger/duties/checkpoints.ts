import type { Clock } from "../../core/clock.ts";
import type { Failure } from "../turn/lane.ts";
import type { Checkpoint, Ledger } from "../ledger.ts";

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
  const writer = new CheckpointWriter(options);
  return {
    add: (checkpoint) => writer.add(checkpoint),
    forget: (id) => writer.forget(id),
    stop: () => writer.stop(),
  };
}

class CheckpointWriter {
  readonly #options: CheckpointsOptions;
  readonly #waiting = new Map<string, Checkpoint>();
  /** The ids sent and not yet answered, without those forgotten meanwhile. */
  readonly #sent = new Set<string>();
  #underway: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #dueMs = Number.NEGATIVE_INFINITY;
  #stopped = false;

  constructor(options: CheckpointsOptions) {
    this.#options = options;
  }

  add(next: Checkpoint): void {
    const last = this.#waiting.get(next.id);
    if (this.#stopped || (last !== undefined && last.seq > next.seq)) return;
    this.#waiting.set(next.id, next);
    this.#schedule();
  }

  forget(id: string): void {
    this.#waiting.delete(id);
    this.#sent.delete(id);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer) clearTimeout(this.#timer);
    await this.#underway;
    await this.#flush();
  }

  #schedule(): void {
    if (this.#stopped || this.#underway || this.#timer || this.#waiting.size === 0) return;
    const waitMs = Math.max(0, this.#dueMs - this.#options.clock.elapsedMs());
    this.#timer = setTimeout(() => {
      this.#timer = null;
      // Ended from here: a flush that finds nothing to send is over before it could be called underway.
      this.#underway = this.#flush().finally(() => {
        this.#underway = null;
        this.#schedule();
      });
    }, waitMs).unref();
  }

  /** Whatever waits now, in batches; what comes meanwhile goes with the next flush. */
  async #flush(): Promise<void> {
    const { clock, limits } = this.#options;
    this.#dueMs = clock.elapsedMs() + limits.everyMs;
    const ids = [...this.#waiting.keys()];
    const batches = Array.from({ length: Math.ceil(ids.length / limits.items) }, (_, index) =>
      ids.slice(index * limits.items, (index + 1) * limits.items),
    );
    for (let batch = batches.shift(); batch !== undefined; batch = batches.shift()) {
      const verdict = await this.#send(batch);
      if (verdict === "halve") {
        const middle = Math.ceil(batch.length / 2);
        batches.unshift(batch.slice(0, middle), batch.slice(middle));
      }
      if (verdict === "later") {
        this.#dueMs = clock.elapsedMs() + limits.retryMs;
        break;
      }
    }
  }

  async #send(ids: readonly string[]): Promise<"done" | "halve" | "later"> {
    const { checkpoint, failureOf, onClosed, onWritten, onFailed } = this.#options;
    const batch = ids.flatMap((id) => this.#waiting.get(id) ?? []);
    if (batch.length === 0) return "done";
    for (const { id } of batch) {
      this.#waiting.delete(id);
      this.#sent.add(id);
    }
    try {
      const closed = await checkpoint(batch);
      for (const id of closed) if (this.#sent.has(id)) onClosed(id);
      onWritten(batch.length - closed.length);
      return "done";
    } catch (error) {
      const failure = failureOf(error);
      // One impossible value must not cost its neighbours their checkpoints.
      const verdict = failure === "lost" ? "later" : failure === "data" && batch.length > 1 ? "halve" : "done";
      if (verdict !== "done") this.#keep(batch);
      if (verdict !== "halve") onFailed(error);
      return verdict;
    } finally {
      for (const { id } of batch) this.#sent.delete(id);
    }
  }

  /** Those that are still wanted wait again, unless a newer one does. */
  #keep(batch: readonly Checkpoint[]): void {
    for (const item of batch)
      if (this.#sent.has(item.id) && !this.#waiting.has(item.id)) this.#waiting.set(item.id, item);
  }
}
