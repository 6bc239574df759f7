import type { Exposition, MetricSnapshot } from "../../telemetry/metrics/metrics.ts";

/** What the parent of several workers says to them. */
export type ParentMessage =
  | "drain"
  /** Say what you counted; `round` comes back with it. */
  | { ask: "metrics"; round: number }
  /** The sum that this worker wanted. */
  | { totals: Exposition; wish: number };

/** What a worker says to its parent. */
export type WorkerMessage =
  | "serving"
  /** Its event loop turns. */
  | "alive"
  /** `round` is null when it was not asked: its last word. */
  | { metrics: MetricSnapshot; round: number | null }
  /** Somebody scrapes this worker for the sum of all. */
  | { want: "totals"; wish: number };
