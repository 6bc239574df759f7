import { monitorEventLoopDelay } from "node:perf_hooks";

/**
 * How late the machine lets this process be. A bound on the clock holds for a machine that has nothing else to do; on another,
 * each process that takes part may be as late as this one.
 */
export function watchLateness(): { stop: () => number } {
  const delays = monitorEventLoopDelay({ resolution: 10 });
  delays.enable();
  return {
    stop: () => {
      delays.disable();
      return Math.ceil(delays.max / 1e6);
    },
  };
}
