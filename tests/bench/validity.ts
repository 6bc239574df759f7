import { type CoreShares, percent } from "./core-shares.ts";
import { spreadOf } from "./spread.ts";

/** Below this share of its core a gateway was not the limit, and its rate says nothing about it. */
const FULL_SHARE = 0.9;
/** At low rates cores are idle for the most part; what others do beyond this disturbs the latencies. */
const DISTURBING_SHARE = 0.1;
/** A generator that is later than this for half of its requests measures itself. */
const LATE_MICROS = 200;

/** A core that is idle for more than this while its gateway is under full load waits for requests. */
const IDLE_SHARE = 0.05;

/** Whether a gateway could have done more with more connections: its core was idle, not taken by others. */
export function lacksLoad(slices: readonly CoreShares[]): boolean {
  const idle = spreadOf(slices.map(({ subject, othersOnProxyCore }) => 1 - subject - othersOnProxyCore));
  return idle !== null && idle.median > IDLE_SHARE;
}

export type Answered = { requests: number; failures: number; firstFailure: string };

/** Why a slice does not count in which a gateway was to show its highest rate; null: it counts. */
export function whyNotFull(answered: Answered, shares: CoreShares): string | null {
  const failed = whyFailed(answered);
  if (failed !== null) return failed;
  if (shares.subject >= FULL_SHARE) return null;
  const others = Math.max(shares.othersOnProxyCore, 0);
  const rival = others > 1 - FULL_SHARE ? `other work took ${percent(others)} of it` : "load or database was the limit";
  return `used ${percent(shares.subject)} of its core, ${rival}`;
}

/** Why a slice does not count in which latencies were measured; null: it counts. */
export function whyDisturbed(answered: Answered, shares: CoreShares, lateMicros: number): string | null {
  const failed = whyFailed(answered);
  if (failed !== null) return failed;
  if (lateMicros > LATE_MICROS) return `the generator was ${Math.round(lateMicros)} µs late for half of the requests`;
  const { othersOnProxyCore, othersOnLoadCore } = shares;
  if (Math.max(othersOnProxyCore, othersOnLoadCore) <= DISTURBING_SHARE) return null;
  return `other work took ${percent(othersOnProxyCore)} and ${percent(othersOnLoadCore)} of the cores`;
}

/** Null: every request was answered as it must be. */
export function whyFailed({ requests, failures, firstFailure }: Answered): string | null {
  if (requests === 0) return "nothing was answered";
  if (failures === 0) return null;
  return `${failures} of ${requests} answers failed, the first with ${firstFailure.slice(0, 200)}`;
}
