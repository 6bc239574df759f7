import { existsSync, readdirSync, readFileSync } from "node:fs";

/** Linux counts what has ended in hundredths of a second, whatever the kernel's own tick is. */
const MICROS_PER_TICK = 10_000;

/** Processor time of the thread that a process began with, and of all others: further threads and all descendants. */
export type ProcessorTime = { mainMicros: number; otherMicros: number };

export const NO_TIME: ProcessorTime = { mainMicros: 0, otherMicros: 0 };

/** Since the process began, to the microsecond; descendants that have ended are counted in hundredths of a second. */
export function processorTimeOf(pid: number): ProcessorTime {
  let mainMicros = 0;
  let otherMicros = endedMicrosOf(pid);
  for (const member of familyOf(pid)) {
    for (const thread of tasksOf(member)) {
      const micros = Number(readOf(member, `task/${thread}/schedstat`).split(" ")[0]) / 1000;
      if (thread === String(pid)) mainMicros += micros;
      else otherMicros += micros;
    }
  }
  return { mainMicros, otherMicros };
}

/** Of a process and all its descendants. */
export function cpuMicrosOf(pid: number): number {
  const { mainMicros, otherMicros } = processorTimeOf(pid);
  return mainMicros + otherMicros;
}

/** Memory that a process and all its descendants hold in RAM. */
export function residentBytesOf(pid: number): number {
  let kilobytes = 0;
  for (const member of familyOf(pid)) {
    const line = /^VmRSS:\s+(\d+) kB$/m.exec(readOf(member, "status"));
    kilobytes += Number(line?.[1] ?? 0);
  }
  return kilobytes * 1024;
}

/** Time for which a core was busy with anything at all since the machine started. */
export function coreBusyMicros(core: number): number {
  const line = new RegExp(`^cpu${core} (.+)$`, "m").exec(readFileSync("/proc/stat", "latin1"));
  const ticks = (line?.[1] ?? "").split(" ").map(Number);
  // user, nice, system, (idle, iowait,) irq, softirq, steal; guest time is already part of user.
  return [0, 1, 2, 5, 6, 7].reduce((sum, index) => sum + (ticks[index] ?? 0), 0) * MICROS_PER_TICK;
}

/** What the children of a process used that have ended. */
function endedMicrosOf(pid: number): number {
  // The name in the second field may contain anything, so fields are counted from the bracket that closes it.
  const stat = readOf(pid, "stat");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[13] ?? 0) + Number(fields[14] ?? 0)) * MICROS_PER_TICK;
}

/** A descendant or a thread may end at any time; what it used is then counted by its parent, or not at all. */
function readOf(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "latin1");
  } catch {
    return "";
  }
}

const tasksOf = (pid: number): string[] => (existsSync(`/proc/${pid}/task`) ? readdirSync(`/proc/${pid}/task`) : []);

function familyOf(pid: number): number[] {
  const family = [pid];
  for (const task of tasksOf(pid)) {
    const children = readOf(pid, `task/${task}/children`).trim();
    if (children !== "") family.push(...children.split(" ").flatMap((child) => familyOf(Number(child))));
  }
  return family;
}
