import { openSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { endProcess } from "./end-process.ts";
import { WriteQueue } from "./write-queue.ts";
import { outputMayStall, STANDARD_OUTPUT, writeNow } from "./write-now.ts";

/** Takes finished lines. */
export type LineOutput = {
  write: (line: string) => void;
  /**
   * Writes what is still buffered; left out where nothing is. A reader that stalls is given up on, and what it did not take is dropped and
   * counted: then only `process.exit` ends the process, since the write that waits for the reader keeps it alive.
   */
  close?: () => Promise<{ stalled: boolean }>;
};

const GATHERED_CHARACTERS = 65_536;
const GATHER_MS = 200;
/** How long a reader that takes nothing is waited for at the end, and one that takes a little again and again. */
const STALLED_MS = 2_000;
const SLOW_MS = 5_000;
const LOOK_EVERY_MS = 10;
const NEWLINE = 10;

/**
 * Standard output or a file, written many lines at a time and never by blocking; what is buffered when the process exits is written
 * then. An output that fails, such as a full disk, is counted and tried again, and never ends or holds up the process; nor does a reader
 * that stalls.
 */
export function openLineOutput(lineDropped: () => void, file?: string): Required<LineOutput> {
  const mayStall = file === undefined && outputMayStall();
  const queue = new WriteQueue(file === undefined ? STANDARD_OUTPUT : openSync(file, "a", 0o600), {
    drop: (bytes) => {
      for (const byte of bytes) if (byte === NEWLINE) lineDropped();
    },
    failed: lineDropped,
  });

  // Lines are gathered before they are handed on, since to hand one on costs as much as to make it.
  let gathered = "";
  let timer: NodeJS.Timeout | null = null;
  const handOn = (): void => {
    if (timer) clearTimeout(timer);
    timer = null;
    if (gathered === "") return;
    // As bytes: many lines put together are a tree of texts.
    queue.add(Buffer.from(gathered));
    gathered = "";
  };

  process.prependListener("beforeExit", handOn);
  process.prependListener("exit", () => {
    const rest = Buffer.concat([queue.takeWaiting(), Buffer.from(gathered)]);
    gathered = "";
    writeNow(queue.file, rest, mayStall ? "own way" : "given way");
  });
  // The last thing: others may have something to do at the exit as well.
  process.on("exit", (code) => {
    if (mayStall && queue.isWriting) endProcess(code);
  });

  return {
    write: (line) => {
      gathered += line;
      if (gathered.length > GATHERED_CHARACTERS) handOn();
      else timer ??= setTimeout(handOn, GATHER_MS).unref();
    },
    close: async () => {
      handOn();
      if (!mayStall || (await isTaken(queue))) return { stalled: false };
      queue.giveUp();
      return { stalled: queue.isWriting };
    },
  };
}

/** Waits for the reader as long as it reads. */
async function isTaken(queue: WriteQueue): Promise<boolean> {
  let idleMs = 0;
  for (let waitedMs = 0; queue.isBusy && idleMs < STALLED_MS && waitedMs < SLOW_MS; waitedMs += LOOK_EVERY_MS) {
    const before = queue.writtenBytes;
    await wait(LOOK_EVERY_MS);
    idleMs = queue.writtenBytes === before ? idleMs + LOOK_EVERY_MS : 0;
  }
  return !queue.isBusy;
}
