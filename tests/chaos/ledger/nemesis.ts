import { execFileSync } from "node:child_process";
import type { Cluster } from "../../support/postgres.ts";

/** Stops a whole server in its tracks, its backends included: connections stay open and nobody answers. */
export function freezeCluster(cluster: Cluster): { thaw: () => void } {
  const pids = familyOf(cluster.pid() ?? 0);
  for (const pid of pids) signal(pid, "SIGSTOP");
  return {
    thaw: () => {
      for (const pid of pids) signal(pid, "SIGCONT");
    },
  };
}

function familyOf(postmaster: number): number[] {
  const lines = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" }).trim().split("\n");
  const parents = lines.map((line) => line.trim().split(/\s+/).map(Number));
  return [postmaster, ...parents.filter(([, parent]) => parent === postmaster).map(([pid = 0]) => pid)];
}

/** A backend may have ended between the list and the signal. */
function signal(pid: number, name: "SIGSTOP" | "SIGCONT"): void {
  try {
    process.kill(pid, name);
  } catch {}
}
