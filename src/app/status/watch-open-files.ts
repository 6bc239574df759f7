import { closeSync, openSync } from "node:fs";
import { devNull } from "node:os";
import { isOutOfFiles } from "../../http/connection/open-files.ts";

export type OpenFilesWatch = {
  /** A connection was closed on arrival, since too few files are left. */
  refused: () => void;
  /** Why requests fail, in words for operators; null: files can be opened. */
  trouble: () => string | null;
  stop: () => void;
};

const LOOK_EVERY_MS = 1_000;
/** So long after a connection was refused the next may be, too. */
const REMEMBERED_MS = 5_000;
const MEND = "Raise its limit (LimitNOFILE in the systemd unit) and restart it.";
const NONE = `This process may open no more files, so new connections to it, to providers and to the database fail. ${MEND}`;
const FEW = `This process refuses new connections because too few files are left to open. ${MEND}`;

/** Tells each second in which this process can open no file: connections to it are then closed, or wait, without a word. */
export function watchOpenFiles(onExhausted: () => void, elapsedMs: () => number): OpenFilesWatch {
  let isExhausted = false;
  let refusedMs = Number.NEGATIVE_INFINITY;
  const timer = setInterval(() => {
    isExhausted = !canOpenFile();
    if (isExhausted) onExhausted();
  }, LOOK_EVERY_MS).unref();
  return {
    refused: () => void (refusedMs = elapsedMs()),
    trouble: () => (isExhausted ? NONE : elapsedMs() - refusedMs < REMEMBERED_MS ? FEW : null),
    stop: () => clearInterval(timer),
  };
}

function canOpenFile(): boolean {
  try {
    closeSync(openSync(devNull, "r"));
    return true;
  } catch (error) {
    return !isOutOfFiles((error as NodeJS.ErrnoException).code);
  }
}
