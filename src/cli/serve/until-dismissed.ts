import cluster from "node:cluster";
import type { ParentMessage } from "./worker-messages.ts";

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
