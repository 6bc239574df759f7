/** What was seen of one read, alone or beside generations. */
export type SeenRead = { kind: string; name: string; times: number; p95: number; failed: string | null };

export type SeenPlane = {
  alone: readonly SeenRead[];
  during: readonly SeenRead[];
  /** Generations beside reads over those without, and their p99. */
  throughput: number;
  p99: number;
  windows: readonly { failures: number }[];
};

const MOST_MS = 300;
const MOST_LOOKUP_MS = 50;
const LEAST_THROUGHPUT = 0.95;
const MOST_P99 = 1.5;

/** What a run shows that it must not; empty: it shows all that it must. A figure that is no number is a miss. */
export function missedOf({ alone, during, throughput, p99, windows }: SeenPlane): string[] {
  const failures = windows.reduce((sum, window) => sum + window.failures, 0);
  return [
    ...alone.flatMap((read) => missedBy(read, "alone")),
    ...during.flatMap((read) => missedBy(read, "beside generations")),
    ...(throughput >= LEAST_THROUGHPUT ? [] : [`throughput × ${throughput.toFixed(3)}, at least ${LEAST_THROUGHPUT}`]),
    ...(p99 <= MOST_P99 ? [] : [`p99 × ${p99.toFixed(2)}, at most ${MOST_P99}`]),
    ...(failures === 0 ? [] : [`${failures} generations failed`]),
  ];
}

function missedBy({ kind, name, times, p95, failed }: SeenRead, where: string): string[] {
  const most = kind === "lookup" && name === "a request" ? MOST_LOOKUP_MS : MOST_MS;
  if (failed !== null) return [`${kind} ${name}, ${where}: ${failed}`];
  if (times === 0) return [`${kind} ${name}, ${where}: not read once`];
  return p95 <= most ? [] : [`${kind} ${name}, ${where}: p95 ${p95.toFixed(1)} ms, at most ${most}`];
}
