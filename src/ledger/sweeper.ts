import type { Clock } from "../core/clock.ts";
import type { Ledger } from "./ledger.ts";
import { repeat, type Repetition } from "./repeat.ts";

type SweeperOptions = {
  sweep: Ledger["sweep"];
  forgetClaims: Ledger["forgetClaims"];
  processId: string;
  clock: Pick<Clock, "elapsedMs">;
  everyMs?: number;
  /** Of one call. */
  limit?: number;
  /** Called after every turn that did not fail, with the number of holds it ended; often 0. */
  onSwept: (holds: number) => void;
  onFailed: (error: unknown) => void;
};

/** After this many full batches the turn ends, so that one process can be stopped in time and others get their share. */
const BATCHES_PER_TURN = 20;

/** Of one call that removes claims: their answers may be large, and nobody waits for it. */
const CLAIMS_AT_ONCE = { items: 1_000, bytes: 33_554_432 };

/**
 * Ends the holds that nobody will end any more, and then removes the claims that have expired. Every process sweeps; the ledger
 * sees to it that each hold is ended once.
 */
export function startSweeper(options: SweeperOptions): Repetition {
  const { sweep, forgetClaims, processId, clock, everyMs = 5_000, limit = 500, onSwept, onFailed } = options;

  async function turn(): Promise<void> {
    await sweepHolds();
    await removeClaims();
  }

  async function sweepHolds(): Promise<void> {
    let holds = 0;
    try {
      for (let batch = 0; batch < BATCHES_PER_TURN; batch++) {
        const swept = await sweep(processId, limit);
        holds += swept.length;
        if (swept.length < limit) break;
      }
      onSwept(holds);
    } catch (error) {
      if (holds > 0) onSwept(holds);
      onFailed(error);
    }
  }

  async function removeClaims(): Promise<void> {
    try {
      for (let batch = 0; batch < BATCHES_PER_TURN; batch++) if ((await forgetClaims(CLAIMS_AT_ONCE)) === 0) break;
    } catch (error) {
      onFailed(error);
    }
  }

  return repeat({ everyMs, clock, turn });
}
