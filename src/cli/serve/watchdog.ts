/** How often a worker says that it is alive, and its parent looks. */
export const BEAT_MS = 1_000;
/**
 * Far longer than a worker keeps its event loop, and longer than one waits for a processor on a machine that has too much to do. Clients on
 * its connections wait as long.
 */
const SILENT_MS = 10_000;
/** To load the program is one long stretch, and a busy machine takes a minute over it. */
const FIRST_SILENT_MS = 120_000;

type Watched = { silentMs: number; mostMs: number };

/** Notices workers whose event loop stands still: they no longer say that they are alive. */
export type Watchdog = {
  started: (workerId: string) => void;
  heard: (workerId: string) => void;
  ended: (workerId: string) => void;
  /** The parent looks: which have been silent for too long, each told once. */
  look: () => { workerId: string; silentMs: number }[];
};

/**
 * Counted in looks and not by a clock: where the whole machine stood still, or the parent waited for a processor, no look was made, and what
 * workers have said meanwhile has not been read.
 */
export function createWatchdog(): Watchdog {
  const workers = new Map<string, Watched>();
  return {
    started: (workerId) => void workers.set(workerId, { silentMs: 0, mostMs: FIRST_SILENT_MS }),
    heard: (workerId) => {
      if (workers.has(workerId)) workers.set(workerId, { silentMs: 0, mostMs: SILENT_MS });
    },
    ended: (workerId) => void workers.delete(workerId),
    look: () => {
      const hung: { workerId: string; silentMs: number }[] = [];
      for (const [workerId, watched] of workers) {
        watched.silentMs += BEAT_MS;
        if (watched.silentMs <= watched.mostMs) continue;
        hung.push({ workerId, silentMs: watched.silentMs });
        workers.delete(workerId);
      }
      return hung;
    },
  };
}
