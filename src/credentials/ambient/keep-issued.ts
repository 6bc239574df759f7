import type { Clock } from "../../core/clock.ts";
import { AmbientError, type Issue, type Issued } from "./ambient.ts";

export type KeptCredential<Value> = {
  /** The newest that holds, at once where there is one. Throws an `AmbientError` where none can be had. */
  current: () => Value | Promise<Value>;
  /** It was refused. True: a newer one has come; false: none could be had, or the last question was only just now. */
  renew: () => Promise<boolean>;
  /** Why the last one could not be had; null: it could, or none was asked for. */
  problem: () => string | null;
};

type Parts<Value> = {
  issue: Issue<Value>;
  clock: Clock;
  random: () => number;
  /** What `problem` says has changed. */
  onChange: () => void;
};

type Held<Value> = { value: Value; endsAtMs: number; replaceAtMs: number };

/** So long before its end is a credential replaced, or for a third of its life where that is shorter. */
const AHEAD_MS = 300_000;
/** What ends within this is not sent any more: it would end on its way. */
const NEARLY_OVER_MS = 5_000;
/** A cloud that says nothing for this long has failed. */
const TIMEOUT_MS = 10_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** A refused credential is replaced so often at most. */
const RENEWED_EVERY_MS = 30_000;

/**
 * Keeps a credential that ends: one question to its cloud at a time, however many calls wait for it; the next one ahead of time, at a moment
 * of this process's own, while calls go on with the one at hand; after a failure, pauses that grow.
 */
export function keepIssued<Value>({ issue, clock, random, onChange }: Parts<Value>): KeptCredential<Value> {
  let held: Held<Value> | null = null;
  let asking: Promise<Value> | null = null;
  let problem: string | null = null;
  let failures = 0;
  let askedAtMs = -Infinity;
  let notBeforeMs = -Infinity;

  function told(next: string | null): void {
    if (next === problem) return;
    problem = next;
    onChange();
  }

  function keep(issued: Issued<Value>): Value {
    held = heldFrom(issued, { clock, random });
    failures = 0;
    notBeforeMs = -Infinity;
    told(null);
    return held.value;
  }

  function failed(error: unknown): never {
    const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures);
    failures += 1;
    notBeforeMs = clock.elapsedMs() + pauseMs * (0.5 + random() / 2);
    told(error instanceof AmbientError ? error.message : "it could not be had, for a reason that cannot be told.");
    throw refusal();
  }

  const refusal = (): AmbientError => new AmbientError(problem ?? "it could not be had.");

  function ask(): Promise<Value> {
    askedAtMs = clock.elapsedMs();
    asking = inTime(issue)
      .then(keep)
      .catch(failed)
      .finally(() => (asking = null));
    return asking;
  }

  const mayAsk = (): boolean => asking === null && clock.elapsedMs() >= notBeforeMs;

  return {
    current: () => {
      const nowMs = clock.elapsedMs();
      if (held !== null && nowMs < held.endsAtMs - NEARLY_OVER_MS) {
        // Nobody waits for the next one yet, so its failure is told by `problem` alone.
        if (nowMs >= held.replaceAtMs && mayAsk()) ask().catch(() => undefined);
        return held.value;
      }
      if (asking !== null) return asking;
      if (!mayAsk()) throw refusal();
      return ask();
    },
    renew: async () => {
      if (asking === null && (clock.elapsedMs() - askedAtMs < RENEWED_EVERY_MS || !mayAsk())) return false;
      return (asking ?? ask()).then(
        () => true,
        () => false,
      );
    },
    problem: () => problem,
  };
}

/** Its end by the clock that never jumps, so that one which is set later changes nothing. */
function heldFrom<Value>(
  { value, expiresAtMs }: Issued<Value>,
  { clock, random }: Pick<Parts<Value>, "clock" | "random">,
): Held<Value> {
  const leftMs = expiresAtMs === null ? Infinity : expiresAtMs - clock.nowMs();
  if (leftMs <= NEARLY_OVER_MS) throw new AmbientError(overAlready(-leftMs));
  const endsAtMs = clock.elapsedMs() + leftMs;
  return { value, endsAtMs, replaceAtMs: endsAtMs - Math.min(AHEAD_MS, leftMs / 3) * (1 + random() / 2) };
}

/** Whatever a source makes of its signal. */
function inTime<Value>(issue: Issue<Value>): Promise<Issued<Value>> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const over = new Promise<never>((_, reject) => {
    const end = (): void => reject(new AmbientError(`there was no answer within ${TIMEOUT_MS / 1_000} s.`));
    timeout.addEventListener("abort", end, { once: true });
  });
  return Promise.race([issue(timeout), over]);
}

const overAlready = (agoMs: number): string =>
  agoMs > 0
    ? `what it gave ended ${Math.ceil(agoMs / 1_000)} s ago. Compare the clock of this machine with another.`
    : "what it gave ends within seconds.";
