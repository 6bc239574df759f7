import cluster from "node:cluster";
import { BEAT_MS } from "./watchdog.ts";
import type { WorkerMessage } from "./worker-messages.ts";

/** Tells the parent again and again that the event loop of this worker turns. Begun as early as possible, and never ended. */
export function sayAlive(): void {
  let saying = false;
  const beat = (): void => {
    // A parent that does not read must not make words pile up here.
    if (saying || !process.connected) return;
    saying = true;
    cluster.worker?.send("alive" satisfies WorkerMessage, () => (saying = false));
  };
  beat();
  setInterval(beat, BEAT_MS).unref();
}
