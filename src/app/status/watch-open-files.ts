import { closeSync, openSync } from "node:fs";
import { devNull } from "node:os";
import { isOutOfFiles } from "../../http/connection/open-files.ts";

const LOOK_EVERY_MS = 1_000;

/** Tells each second in which this process can open no file: connections to it are then closed, or wait, without a word. */
export function watchOpenFiles(onExhausted: () => void): { stop: () => void } {
  const timer = setInterval(() => {
    try {
      closeSync(openSync(devNull, "r"));
    } catch (error) {
      if (isOutOfFiles((error as NodeJS.ErrnoException).code)) onExhausted();
    }
  }, LOOK_EVERY_MS).unref();
  return { stop: () => clearInterval(timer) };
}
