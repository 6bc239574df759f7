import { constants, getPriority, setPriority } from "node:os";

/**
 * A third of the main thread's share where both want the same processor. Much less, and other work on the machine keeps large requests
 * waiting for minutes.
 */
const STEPS_BELOW = 5;

/**
 * Lets the main thread go first where processors are few. On Linux alone this is about the calling thread; elsewhere it would be the whole
 * process. Some systems forbid it, as our systemd unit does: the thread then works at the priority that it has.
 */
export function giveWay(set: (priority: number) => void = setPriority): void {
  if (process.platform !== "linux") return;
  try {
    set(Math.min(getPriority() + STEPS_BELOW, constants.priority.PRIORITY_LOW));
  } catch {
    // Nothing that anyone could do about it, and no reason to refuse a request.
  }
}
