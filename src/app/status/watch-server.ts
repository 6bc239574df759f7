import type { Clock } from "../../core/clock.ts";
import type { ServerFacts } from "../../core/server-facts.ts";
import { repeat } from "../../ledger/duties/repeat.ts";
import { adviceOn } from "../../telemetry/log/server-advice.ts";

export type ServerWatch = {
  /** What is wrong with the server while it answers, in words for operators. */
  concerns: () => string[];
  stop: () => Promise<void>;
};

type Options = {
  /** Null: the database has no server. */
  inspect: () => Promise<ServerFacts | null>;
  clock: Pick<Clock, "elapsedMs">;
  /** Hears what the server said last; null once that is too old to count. */
  onFacts: (facts: ServerFacts | null) => void;
  everyMs?: number;
};

const EVERY_MS = 15_000;
/** One answer that is late or missing says nothing about standbys or clocks. */
const STALE_AFTER = 4;

/** What can come true while we run, and costs money or availability if it stays. The rest is said at the start and by doctor. */
const CONCERNS: ReadonlySet<string> = new Set(["standby_absent", "standby_spare", "clock"]);

/** Asks the server about itself, slowly and on a connection that no request uses. */
export function watchServer({ inspect, clock, onFacts, everyMs = EVERY_MS }: Options): ServerWatch {
  let known: { facts: ServerFacts; atMs: number } | null = null;
  const fresh = (): ServerFacts | null =>
    known !== null && clock.elapsedMs() - known.atMs < STALE_AFTER * everyMs ? known.facts : null;

  async function turn(): Promise<void> {
    const atMs = clock.elapsedMs();
    // That it does not answer is said by what watches the ledger.
    const facts = await inspect().catch(() => null);
    if (facts !== null) known = { facts, atMs };
    onFacts(fresh());
  }

  const repetition = repeat({ everyMs, clock, turn });
  return {
    concerns: () => {
      const facts = fresh();
      const advice = facts === null ? [] : adviceOn(facts).filter(({ finding }) => CONCERNS.has(finding));
      return advice.map(({ message, fix }) => `${message}. ${fix}`);
    },
    stop: repetition.stop,
  };
}
