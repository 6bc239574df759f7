import { constants, setPriority } from "node:os";

/**
 * Lets the main thread go first where processors are few. On Linux alone this is about the calling thread; elsewhere it would be the whole
 * process. Some systems forbid it, as our systemd unit does: the thread then works at the priority that it has.
 */
export function giveWay(set: (priority: number) => void = setPriority): void {
  if (process.platform !== "linux") return;
  try {
    set(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Nothing that anyone could do about it, and no reason to refuse a request.
  }
}
