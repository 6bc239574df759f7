import cluster from "node:cluster";

/** What the parent of several workers says to them. */
export type ParentMessage = "drain";

/** What a worker says to its parent. */
export type WorkerMessage = "serving";

/**
 * Resolves when a worker is to end: its parent says so or is gone, or somebody signals this worker alone. A terminal and a
 * service manager signal parent and workers alike, so here a repeated signal means nothing; the parent decides what it means.
 */
export function untilDismissed(): Promise<void> {
  return new Promise((resolve) => {
    process.on("SIGINT", () => undefined);
    process.on("SIGTERM", () => resolve());
    process.on("message", (message: ParentMessage) => {
      if (message === "drain") resolve();
    });
    cluster.worker?.on("disconnect", () => {
      // Without this word the runtime ends the process at once, with every stream in it.
      if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
      resolve();
    });
  });
}

/** Says that this worker takes requests; does nothing in a process that is none. */
export function sayServing(): void {
  cluster.worker?.send("serving" satisfies WorkerMessage);
}

/** Lets go of the channel to the parent, which is the last thing that keeps a worker alive. */
export function sayNoMore(): void {
  if (cluster.isWorker && process.connected) process.disconnect?.();
}
