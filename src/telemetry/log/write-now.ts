import { closeSync, constants, fstatSync, openSync, writeSync } from "node:fs";

export const STANDARD_OUTPUT = 1;
const TRIES = 5;
const TRY_AGAIN_MS = 100;

/** Whether writing to standard output waits for somebody who reads it, such as a pipe does when it is full. */
export function outputMayStall(): boolean {
  try {
    return !fstatSync(STANDARD_OUTPUT).isFile();
  } catch {
    return false;
  }
}

/** Writes without the event loop, as far as it can be done: what a reader that stalls does not take is lost. */
export function writeNow(file: number, bytes: Buffer, way: "given way" | "own way"): void {
  if (bytes.length === 0) return;
  const open = way === "own way" ? openWithoutWaiting() : file;
  let rest = bytes;
  for (let tries = 0; rest.length > 0 && tries < TRIES;) {
    try {
      rest = rest.subarray(writeSync(open, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") break;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, TRY_AGAIN_MS);
      tries += 1;
    }
  }
  if (open !== file) closeSync(open);
}

/** A way to standard output of our own: whether the given one waits is decided for every process that shares it. */
function openWithoutWaiting(): number {
  try {
    return openSync("/proc/self/fd/1", constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    // A socket cannot be opened a second time. The runtime makes a stream of it that does not wait, and takes that back at the exit.
    void process.stdout;
    return STANDARD_OUTPUT;
  }
}
