/**
 * Loaded into Tollgate before its program when the tail of latencies is to be explained: notes when V8 collected garbage, when the
 * event loop was late, and when each call to the ledger went to PostgreSQL and came back. Appends what it noted as a line of
 * JSON to the file in BENCH_TAIL_FILE on each SIGUSR2. Times are milliseconds since the epoch.
 */
import { appendFileSync } from "node:fs";
import { createRequire } from "node:module";
import { performance, PerformanceObserver } from "node:perf_hooks";
import { isMainThread } from "node:worker_threads";
import type { Client } from "pg";
import type { TailNotes } from "./tail.ts";

/** Often enough to see what delays a request, seldom enough to cost it nothing: some microseconds of every 2 ms. */
const SAMPLE_MS = 2;
const LATE_MS = 0.5;
/** Calls that settle and admit; all others carry no request. */
const LEDGER_CALL = /\b(turn|settle|admit)_v\d/;

const file = process.env["BENCH_TAIL_FILE"];
if (isMainThread && file !== undefined) noteInto(file, process.argv[1] ?? "");

function noteInto(path: string, mainFile: string): void {
  const nowMs = (): number => performance.timeOrigin + performance.now();
  let notes: TailNotes = { collections: [], late: [], calls: [] };

  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) {
      const startMs = performance.timeOrigin + startTime;
      notes.collections.push([startMs, startMs + duration]);
    }
  }).observe({ entryTypes: ["gc"] });

  let dueMs = nowMs() + SAMPLE_MS;
  setInterval(() => {
    const atMs = nowMs();
    if (atMs - dueMs > LATE_MS) notes.late.push([dueMs, atMs]);
    dueMs = atMs + SAMPLE_MS;
  }, SAMPLE_MS).unref();

  noteCalls(mainFile, (startMs) => notes.calls.push([startMs, nowMs()]), nowMs);

  process.on("SIGUSR2", () => {
    appendFileSync(path, `${JSON.stringify(notes)}\n`);
    notes = { collections: [], late: [], calls: [] };
  });
}

/** Every connection of the program queries through this one method. */
function noteCalls(mainFile: string, note: (startMs: number) => void, nowMs: () => number): void {
  const driver = createRequire(mainFile)("pg") as { Client: { prototype: Client } };
  const { prototype } = driver.Client;
  const query = Reflect.get(prototype, "query") as (...words: unknown[]) => unknown;
  Reflect.set(prototype, "query", function noted(this: Client, ...words: unknown[]): unknown {
    const [first] = words;
    const text = typeof first === "string" ? first : ((first as { text?: string } | undefined)?.text ?? "");
    if (!LEDGER_CALL.test(text)) return Reflect.apply(query, this, words);
    const startMs = nowMs();
    const last = words.at(-1);
    if (typeof last === "function") {
      words[words.length - 1] = (...answer: unknown[]): unknown => {
        note(startMs);
        return Reflect.apply(last, undefined, answer) as unknown;
      };
      return Reflect.apply(query, this, words);
    }
    const answered = Reflect.apply(query, this, words);
    if (answered instanceof Promise)
      answered.then(
        () => note(startMs),
        () => undefined,
      );
    return answered;
  });
}
