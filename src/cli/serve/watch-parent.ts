import cluster from "node:cluster";
import type { ParentMessage } from "./worker-messages.ts";

export type Parenthood = {
  /** Resolves when this worker is to end: its parent says so or is gone, or somebody signals this worker alone. */
  dismissed: Promise<void>;
  /** Resolves when the parent is gone. Nobody answers the worker from then on, not even when it asks for a port. */
  orphaned: Promise<void>;
};

/**
 * What a worker learns of its parent. A terminal and a service manager signal parent and workers alike, so here a repeated signal means
 * nothing; the parent decides what it means.
 */
export function watchParent(): Parenthood {
  const dismissed = Promise.withResolvers<void>();
  const orphaned = Promise.withResolvers<void>();
  process.on("SIGINT", () => undefined);
  process.on("SIGTERM", dismissed.resolve);
  process.on("message", (message: ParentMessage) => {
    if (message === "drain") dismissed.resolve();
  });
  cluster.worker?.on("disconnect", () => {
    // Set by a worker that leaves, see parent-line.ts.
    if (!cluster.worker || cluster.worker.exitedAfterDisconnect) return;
    // Without this word the runtime ends the process at once, with every stream in it.
    cluster.worker.exitedAfterDisconnect = true;
    orphaned.resolve();
    dismissed.resolve();
  });
  return { dismissed: dismissed.promise, orphaned: orphaned.promise };
}
