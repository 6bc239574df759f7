import { collectDefaultMetrics, type Registry } from "@prometheus-io/client";

/**
 * Adds the standard `process_*` and `nodejs_*` metrics: memory, processor time, garbage collection, and the lag of the event
 * loop, which is the first sign of a process that does too much. Called once per process, as the observers never stop.
 */
export function collectProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 10, eventLoopUtilizationTimeout: 1000 });
}
