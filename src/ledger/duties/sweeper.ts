import type { Clock } from "../../core/clock.ts";
import type { Failure } from "../turn/lane.ts";
import type { Ledger, LostHolds, Quarantined } from "../ledger.ts";
import { repeat, type Repetition } from "./repeat.ts";

type SweeperOptions = {
  ledger: Pick<Ledger, "sweep" | "countLost" | "forgetClaims">;
  failureOf: (error: unknown) => Failure;
  processId: string;
  clock: Pick<Clock, "elapsedMs">;
  everyMs?: number;
  /** Of one call. */
  limit?: number;
  /** Called after every turn that did not fail, with the number of holds it ended; often 0. */
  onSwept: (holds: number) => void;
  /** Told of each hold once, by the process that came across it. */
  onQuarantined: (hold: Quarantined) => void;
  /** What is left, after every turn. */
  onCounted: (lost: LostHolds) => void;
  onFailed: (error: unknown) => void;
};

/** After this many full batches the turn ends, so that one process can be stopped in time and others get their share. */
const BATCHES_PER_TURN = 20;

/** Nor are there more calls than this in a turn, however many holds cannot be ended and however small the batches become. */
const CALLS_PER_TURN = 64;

/** Of one call that removes claims: their answers may be large, and nobody waits for it. */
const CLAIMS_AT_ONCE = { items: 1_000, bytes: 33_554_432 };

/**
 * Ends the holds that nobody will end any more, and then removes the claims that have expired. Every process sweeps; the ledger
 * sees to it that each hold is ended once.
 */
export function startSweeper(options: SweeperOptions): Repetition {
  const { ledger, failureOf, processId, clock, everyMs = 5_000, limit = 500 } = options;
  const { onSwept, onQuarantined, onCounted, onFailed } = options;
  /** Halved while a batch is refused and doubled while none is; it outlives a turn, so that the next need not find it anew. */
  let batchSize = limit;

  async function turn(): Promise<void> {
    await sweepHolds();
    await removeClaims();
  }

  async function sweepHolds(): Promise<void> {
    let holds = 0;
    try {
      for (let calls = 0; calls < CALLS_PER_TURN && holds < BATCHES_PER_TURN * limit; calls++) {
        const found = await sweepBatch();
        if (found === "refused") continue;
        if (found === "nothing") break;
        holds += found;
      }
      onCounted(await ledger.countLost());
      onSwept(holds);
    } catch (error) {
      if (holds > 0) onSwept(holds);
      onFailed(error);
    }
  }

  /** How many holds it ended. The oldest come first, so that what is refused as a whole is tried again from its beginning. */
  async function sweepBatch(): Promise<number | "refused" | "nothing"> {
    try {
      const { swept, quarantined } = await ledger.sweep(processId, batchSize);
      for (const hold of quarantined) onQuarantined(hold);
      if (swept.length + quarantined.length === 0) {
        batchSize = limit;
        return "nothing";
      }
      if (quarantined.length === 0) batchSize = Math.min(limit, batchSize * 2);
      return swept.length;
    } catch (error) {
      if (batchSize === 1 || failureOf(error) === "lost") throw error;
      batchSize = Math.floor(batchSize / 2);
      return "refused";
    }
  }

  async function removeClaims(): Promise<void> {
    try {
      for (let batch = 0; batch < BATCHES_PER_TURN; batch++) {
        if ((await ledger.forgetClaims(CLAIMS_AT_ONCE)) === 0) break;
      }
    } catch (error) {
      onFailed(error);
    }
  }

  return repeat({ everyMs, clock, turn });
}
