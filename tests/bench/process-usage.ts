import { existsSync, readdirSync, readFileSync } from "node:fs";

/** Linux counts processor time for programs in hundredths of a second, whatever the kernel's own tick is. */
const MICROS_PER_TICK = 10_000;

/** Processor time of a process and all its descendants since they began. */
export function cpuMicrosOf(pid: number): number {
  let ticks = 0;
  for (const member of familyOf(pid)) {
    // The name in the second field may contain anything, so fields are counted from the bracket that closes it.
    const stat = readOf(member, "stat");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    ticks += Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
  }
  return ticks * MICROS_PER_TICK;
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

/** A descendant or a thread may end at any time; what it used is then counted by its parent, or not at all. */
function readOf(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "latin1");
  } catch {
    return "";
  }
}

function familyOf(pid: number): number[] {
  const family = [pid];
  for (const task of existsSync(`/proc/${pid}/task`) ? readdirSync(`/proc/${pid}/task`) : []) {
    const children = readOf(pid, `task/${task}/children`).trim();
    if (children !== "") family.push(...children.split(" ").flatMap((child) => familyOf(Number(child))));
  }
  return family;
}
