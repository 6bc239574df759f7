/**
 * Preloaded into a gateway under test (`node --import`): writes down every stretch of work that kept its main thread to itself.
 *
 * A stretch begins when the event loop calls into JavaScript and lasts until it next does, with everything that follows from the
 * call before the loop turns again: its microtasks, its ticks, and the garbage it makes collected. It is measured in processor time
 * of the main thread, for the clock on the wall also counts what the machine does besides.
 */
import { createHook, executionAsyncResource } from "node:async_hooks";
import { appendFileSync, writeFileSync } from "node:fs";
import { performance, PerformanceObserver } from "node:perf_hooks";
import { isMainThread } from "node:worker_threads";

/** What is shorter is not worth a line. */
const SHORTEST_MS = 5;

const file = process.env["TEST_STRETCHES"];
// Not a setting, and what looks like one and is none stops the gateway.
delete process.env["TEST_STRETCHES"];
if (file !== undefined && isMainThread) record(file);

function record(to: string): void {
  // There from the start, so that a process which records nothing is not taken for one that is never busy.
  writeFileSync(to, "");
  let began = processorMs();
  let what = "start";
  let turn = 0;
  let last: object | null = null;
  let collectingMs = 0;
  const collections = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) collectingMs = Math.max(collectingMs, duration);
  });
  collections.observe({ entryTypes: ["gc"] });

  createHook({
    before: () => {
      const resource = executionAsyncResource();
      if (isWithin(resource)) return;
      // One read of a connection calls for the head, each piece of the body and the end of a message in turn.
      const { loopCount } = performance.nodeTiming.uvMetricsInfo;
      if (resource === last && loopCount === turn) return;
      turn = loopCount;
      last = resource;
      const now = processorMs();
      const ms = now - began;
      if (ms >= SHORTEST_MS) {
        const line = { ms: round(ms), what, gcMs: round(collectingMs), endedAt: Date.now() };
        appendFileSync(to, `${JSON.stringify(line)}\n`);
        collectingMs = 0;
      }
      // Taken anew after a line was written, which is no work of the gateway's.
      began = ms >= SHORTEST_MS ? processorMs() : now;
      what = resource.constructor.name;
    },
  }).enable();
}

function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** Promises and ticks run before the loop turns, so that they belong to what called for them. */
const isWithin = (resource: object): boolean => resource instanceof Promise || Object.hasOwn(resource, "callback");

const round = (ms: number): number => Math.round(ms * 10) / 10;
