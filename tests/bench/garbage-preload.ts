/**
 * Loaded into a Node process before its program: measures what it allocates and what survives into old space, and appends
 * both as a line of JSON to the file in BENCH_GARBAGE_FILE on each SIGUSR2. The program itself knows nothing of it.
 */
import { appendFileSync } from "node:fs";
import { GCProfiler, type GCProfilerResult, getHeapStatistics } from "node:v8";
import { isMainThread } from "node:worker_threads";

type Moment = GCProfilerResult["statistics"][number]["beforeGC"];

const file = process.env["BENCH_GARBAGE_FILE"];
if (isMainThread && file !== undefined) measureInto(file);

function measureInto(path: string): void {
  let profiler = new GCProfiler();
  profiler.start();
  let usedAfterLast: number | null = null;
  process.on("SIGUSR2", () => {
    const { statistics } = profiler.stop();
    profiler = new GCProfiler();
    profiler.start();
    let allocatedBytes = 0;
    let promotedBytes = 0;
    let pausedMicros = 0;
    for (const { gcType, beforeGC, afterGC, cost } of statistics) {
      pausedMicros += cost;
      if (usedAfterLast !== null) allocatedBytes += Math.max(0, usedIn(beforeGC) - usedAfterLast);
      usedAfterLast = usedIn(afterGC);
      if (gcType.startsWith("Scavenge")) promotedBytes += Math.max(0, oldIn(afterGC) - oldIn(beforeGC));
    }
    // What was allocated since the last collection belongs to the time before this question, too.
    const used = getHeapStatistics().used_heap_size;
    if (usedAfterLast !== null) allocatedBytes += Math.max(0, used - usedAfterLast);
    usedAfterLast = used;
    const answer = { allocatedBytes, promotedBytes, pausedMicros, collections: statistics.length };
    appendFileSync(path, `${JSON.stringify(answer)}\n`);
  });
}

const usedIn = ({ heapStatistics }: Moment): number => heapStatistics.usedHeapSize;

function oldIn({ heapSpaceStatistics }: Moment): number {
  const spaces = heapSpaceStatistics.filter(
    ({ spaceName }) => spaceName === "old_space" || spaceName === "large_object_space",
  );
  return spaces.reduce((sum, { spaceUsedSize }) => sum + spaceUsedSize, 0);
}
