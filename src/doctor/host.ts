import { readFileSync, statfsSync, statSync } from "node:fs";
import { availableParallelism, totalmem } from "node:os";

export type Space = { freeBytes: number; totalBytes: number };

/** The machine, as this process sees it. */
export type Host = {
  nodeVersion: string;
  /** Processors that this process may use. */
  processors: number;
  /** Files and connections that a process may have open; null where the system does not say. */
  openFiles: number | null;
  /** Of the machine, or of the container when that is less. */
  memoryBytes: number;
  folder: string;
  /** Null when there is no such folder. */
  spaceOf: (folder: string) => Space | null;
  /** Permission bits; null when there is no such file. */
  modeOf: (file: string) => number | null;
};

export const readHost = (): Host => ({
  nodeVersion: process.versions.node,
  processors: availableParallelism(),
  openFiles: openFileLimit(),
  memoryBytes: memoryLimit(process.constrainedMemory(), totalmem()),
  folder: process.cwd(),
  spaceOf: (folder) => {
    const stats = attempt(() => statfsSync(folder));
    return stats && { freeBytes: stats.bavail * stats.bsize, totalBytes: stats.blocks * stats.bsize };
  },
  modeOf: (file) => attempt(() => statSync(file).mode & 0o777),
});

/** A container without a limit reports none, or one beyond any machine. */
const memoryLimit = (constrained: number, total: number): number =>
  constrained > 0 && constrained < total ? constrained : total;

/** Node has raised the soft limit to the hard one by the time that this is read. */
export function openFileLimit(): number | null {
  const limits = attempt(() => readFileSync("/proc/self/limits", "utf8")) ?? "";
  const [, limit] = /^Max open files\s+(\d+|unlimited)/m.exec(limits) ?? [];
  if (limit === undefined) return null;
  return limit === "unlimited" ? Number.MAX_SAFE_INTEGER : Number(limit);
}

function attempt<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
