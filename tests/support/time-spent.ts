import timers from "node:timers/promises";
import { appendFileSync, readFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { relative } from "node:path";

/** What the tests of a file wait for, beside the work itself. */
export type Cause = "gateway" | "PostgreSQL" | "browser" | "command" | "sleep";

/** Time by the wall during which at least one was under way, how many there were, and the processor time that was read of them. */
type Share = { count: number; wallMs: number; processorMs: number; underWay: number; sinceMs: number };

type Watched = { startedMs: number; processorMs: number; assertions: number; shares: Partial<Record<Cause, Share>> };

/** A line of the file that TEST_TIMES names: one file of tests in one project. */
export type TimeSpent = {
  project: string;
  file: string;
  wallMs: number;
  /** Of the worker and of the processes it started, once these have ended. */
  processorMs: number;
  assertions: number;
  causes: Partial<Record<Cause, Pick<Share, "count" | "wallMs" | "processorMs">>>;
};

/** Files of a project share modules or do not; they always share the process. */
const WATCHED = Symbol.for("tollgate.time-spent");
const place = globalThis as { [WATCHED]?: Watched };

/** `/proc` counts in hundredths of a second. */
const TICK_MS = 10;

/** Begins to count for a file. What earlier files of this process took is theirs. */
export function beginFile(): void {
  place[WATCHED] = { startedMs: performance.now(), processorMs: ownProcessorMs(), assertions: 0, shares: {} };
}

export function countAssertions(count: number): void {
  const watched = place[WATCHED];
  if (watched) watched.assertions += count;
}

export function endFile(project: string, path: string): void {
  const watched = place[WATCHED];
  const target = process.env["TEST_TIMES"];
  if (!watched || target === undefined) return;
  const shares = Object.entries(watched.shares) as [Cause, Share][];
  const line: TimeSpent = {
    project,
    file: relative(process.cwd(), path),
    wallMs: Math.round(performance.now() - watched.startedMs),
    processorMs: Math.round(ownProcessorMs() - watched.processorMs),
    assertions: watched.assertions,
    causes: Object.fromEntries(
      shares.map(([cause, { count, wallMs, processorMs }]) => [
        cause,
        { count, wallMs: Math.round(wallMs), processorMs: Math.round(processorMs) },
      ]),
    ),
  };
  appendFileSync(target, `${JSON.stringify(line)}\n`);
}

/** Counts what a test waits for, such as the start of a gateway, under its cause. */
export async function waitingFor<Result>(cause: Cause, work: () => Promise<Result>): Promise<Result> {
  const share = shareOf(cause);
  if (!share) return work();
  const now = performance.now();
  if (share.underWay === 0) share.sinceMs = now;
  share.underWay += 1;
  share.count += 1;
  try {
    return await work();
  } finally {
    share.underWay -= 1;
    if (share.underWay === 0) share.wallMs += performance.now() - share.sinceMs;
  }
}

/** Adds what a process has taken so far, for instance once it is ready. */
export function countProcessor(cause: Cause, processorMs: number): void {
  const share = shareOf(cause);
  if (share) share.processorMs += processorMs;
}

/** Adds what a process has taken that is none of the worker's own. */
export function countElsewhere(processorMs: number): void {
  const watched = place[WATCHED];
  if (watched) watched.processorMs -= processorMs;
}

/** Every pause that a test makes is counted from here on. */
export function countSleeps(): void {
  const original = timers.setTimeout;
  if (Object.hasOwn(original, WATCHED)) return;
  const counted = (...args: Parameters<typeof original>) => waitingFor("sleep", () => original(...args));
  timers.setTimeout = Object.assign(counted, { [WATCHED]: true }) as typeof original;
  syncBuiltinESMExports();
}

function shareOf(cause: Cause): Share | undefined {
  const shares = place[WATCHED]?.shares;
  if (!shares) return undefined;
  return (shares[cause] ??= { count: 0, wallMs: 0, processorMs: 0, underWay: 0, sinceMs: 0 });
}

const ownProcessorMs = (): number => {
  const read = processorMsOf(process.pid);
  if (read) return read.own + read.children;
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

/** Null where there is no `/proc`, or the process is gone. */
export function processorMsOf(pid: number): { own: number; children: number } | null {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return null;
  }
  // The name of the program may contain anything; what follows its last bracket are numbers. utime, stime, cutime, cstime: 14 to 17.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields.slice(11, 15).map(Number);
  return { own: (user + system) * TICK_MS, children: (childUser + childSystem) * TICK_MS };
}
